package io.penstock.deduction;

import io.penstock.stock.DeductCode;
import io.penstock.stock.FlowStatus;

/** How a deduction was decided. What could not be decided is a failure. */
public sealed interface Decision {

    /** @param code 3, 2 or 0: the key holds these units, and Kafka or the ledger knows */
    record Accepted(DeductCode code, int bucketNo, int qty) implements Decision {}

    /** @param soldOut no bucket had a unit left */
    record Insufficient(boolean soldOut) implements Decision {}

    /** The same key with another quantity. */
    record KeyReused() implements Decision {}

    /** @param status the final one; null if only a tombstone tells of it */
    record Finished(FlowStatus status) implements Decision {}

    /** The sale is paused and the key is new. */
    record Paused() implements Decision {}

    /** Neither Redis nor the ledger could say in time. */
    record NotLoaded() implements Decision {}
}
