package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;

/**
 * One thing that was put right in Redis, for the journal.
 *
 * @param deductKey null if it was the bucket as a whole
 * @param by the job that did it
 * @param units what the key held afterwards, or by how much the bucket's stock changed; null if unknown
 */
public record Repair(SkuId skuId, int bucketNo, DeductKey deductKey, Kind kind, String by, String why, Long units) {

    public enum Kind {
        /** Sent to be settled again. */
        SETTLED_FORWARD,
        /** An entry was made what its flow says. */
        ADOPTED,
        /** An entry that no script wrote was taken out. */
        REMOVED,
        /** Book and stock follow from history and ledger again. */
        RECOUNTED
    }

    Journal.Line line() {
        return new Journal.Line(skuId, bucketNo, deductKey, kind.name(), by, why, null, units);
    }
}
