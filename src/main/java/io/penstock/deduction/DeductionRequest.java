package io.penstock.deduction;

import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuId;

/**
 * One deduction as asked for.
 *
 * @param userId chooses the home bucket, the same on every try of a key; may be null: then the key does
 * @param traceId only recorded; may be null
 */
public record DeductionRequest(SkuId skuId, DeductKey deductKey, Quantity qty, String userId, String traceId) {

    String routingKey() {
        return userId == null ? deductKey.value() : userId;
    }
}
