package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import java.time.Instant;

/** What the order system is told of a flow. {@code bucketNo} and {@code qty} are null as in {@link Flow}. */
public record Outcome(SkuId skuId, DeductKey deductKey, Integer bucketNo, Integer qty, FlowStatus status, Instant at) {}
