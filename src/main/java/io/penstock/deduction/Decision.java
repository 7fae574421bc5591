package io.penstock.deduction;

import io.penstock.stock.DeductCode;
import io.penstock.stock.FlowStatus;

/**
 * How a deduction was decided. What could not be decided is a failure.
 *
 * @param code never {@link DeductCode#SPILLED}: the bucket it names was asked
 * @param bucketNo with 3, 2 and 0, the bucket that holds the units; else -1
 * @param soldOut with 1: no bucket had a unit left
 * @param finished with 5, the final status; null if only a tombstone tells of it
 */
public record Decision(DeductCode code, int bucketNo, boolean soldOut, FlowStatus finished) {

    /** Kafka, or the ledger, has it. */
    static Decision accepted(DeductCode code, int bucketNo) {
        return new Decision(code, bucketNo, false, null);
    }

    static Decision insufficient(boolean soldOut) {
        return new Decision(DeductCode.INSUFFICIENT, -1, soldOut, null);
    }

    static Decision finished(FlowStatus status) {
        return new Decision(DeductCode.FINISHED, -1, false, status);
    }

    /** One that its code says all about: 4, 7 or -1. */
    static Decision of(DeductCode code) {
        return new Decision(code, -1, false, null);
    }
}
