package io.penstock.ledger;

import io.penstock.stock.Credit;
import io.penstock.stock.DeductKey;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import java.time.Instant;

/**
 * 扣减流水: one deduction in the ledger.
 *
 * @param bucketNo the bucket it was taken from; null for a cancellation without a deduction that no bucket knew
 * @param qty null as {@code bucketNo}
 * @param movedTo where a retired bucket's units went, else null
 */
public record Flow(
        SkuId skuId,
        DeductKey deductKey,
        Integer bucketNo,
        Integer qty,
        FlowStatus status,
        Credit credit,
        Integer movedTo,
        Instant createdAt,
        Instant updatedAt) {}
