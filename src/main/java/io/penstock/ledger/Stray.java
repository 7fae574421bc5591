package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;

/** An entry in a Redis bucket whose flow says otherwise: finished, or sold from another bucket. */
public record Stray(SkuId skuId, DeductKey deductKey, int bucketNo, int qty) {}
