package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;

/**
 * A request to give one deduction back.
 *
 * @param by who asks: {@code http}, {@code topic}, {@code ordered} (by HTTP or topic, through {@code stock.ordered}) or a background job's name
 * @param reason may be null
 */
public record RollbackOrder(SkuId skuId, DeductKey deductKey, String by, String reason) {}
