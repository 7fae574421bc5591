package io.penstock.ledger;

import java.util.List;

/**
 * A settled batch, in the order it was given.
 *
 * @param outcomesId the owed outcomes of its new flows, for {@link OutcomeLedger#sent}; 0 if there are none
 */
public record SettledBatch(List<Settled> deductions, long outcomesId) {}
