package io.penstock.ledger;

import java.util.List;

/** Rollbacks of one transaction, in the order they were given; {@code outcomesId} as in {@link SettledBatch}. */
public record RolledBackBatch(List<RolledBack> rollbacks, long outcomesId) {}
