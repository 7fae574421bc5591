package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import java.time.Instant;

/**
 * 补偿: something that is owed and not given yet.
 *
 * @param bucketNo where it is owed; null: to every bucket of the SKU, or not known yet
 * @param qty units, null where none are known
 * @param attempts to give it so far
 * @param lastError why the last one failed, null before the first
 * @param cause why it is owed; null where nobody said
 */
public record Debt(
        Kind kind,
        SkuId skuId,
        DeductKey deductKey,
        Integer bucketNo,
        Integer qty,
        int attempts,
        String lastError,
        Instant nextAttempt,
        String cause) {

    public enum Kind {
        /** The credit of a flow: units, or tombstones. */
        CREDIT,
        /** An entry in Redis that the ledger does not confirm: to be restored in its own bucket. */
        STRAY,
        /** A rollback that could not be decided while the ledger was away. Once it is, the flow's own CREDIT is what is owed. */
        ROLLBACK
    }
}
