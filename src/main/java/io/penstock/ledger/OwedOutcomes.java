package io.penstock.ledger;

import java.util.List;

/** Outcomes of one committed transaction that Kafka may not have yet. */
public record OwedOutcomes(long outcomesId, List<Outcome> outcomes) {}
