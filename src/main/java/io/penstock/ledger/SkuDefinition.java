package io.penstock.ledger;

import io.penstock.stock.Ordering;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import java.util.List;

/**
 * A SKU as first given. Compared field by field when it is given again.
 *
 * @param total units, 0 … 1 000 000 000
 * @param bucketNos the numbers of its buckets, ascending; just 0 for an unbucketed SKU
 */
public record SkuDefinition(
        SkuId skuId, SkuCode skuCode, long total, List<Integer> bucketNos, Strategy strategy, Ordering ordering) {}
