package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuId;

/** A deduction the gate has accepted, on its way into the ledger. {@code traceId} is only recorded and may be null. */
public record AcceptedDeduction(SkuId skuId, int bucketNo, DeductKey deductKey, Quantity qty, String traceId) {}
