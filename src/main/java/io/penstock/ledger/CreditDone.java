package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;

/**
 * Redis has what a flow was owed.
 *
 * @param foundBucketNo for a CANCELLED flow, the bucket that held units for the key; else null
 * @param foundQty the units it held; else null
 */
public record CreditDone(SkuId skuId, DeductKey deductKey, Integer foundBucketNo, Integer foundQty) {}
