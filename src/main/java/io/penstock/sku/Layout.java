package io.penstock.sku;

import io.penstock.ledger.LedgerBucket;
import io.penstock.ledger.LedgerSku;
import io.penstock.stock.BucketId;
import io.penstock.stock.BucketState;
import io.penstock.stock.Ordering;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import java.util.List;

/**
 * How a SKU is sold: what does not change with every deduction.
 *
 * @param active the buckets that sell, ascending
 * @param buckets all of them, retired ones too
 */
public record Layout(
        SkuId skuId,
        Strategy strategy,
        Ordering ordering,
        SaleState sale,
        List<BucketId> active,
        List<BucketId> buckets) {

    static Layout of(LedgerSku sku) {
        return new Layout(
                sku.skuId(),
                sku.strategy(),
                sku.ordering(),
                sku.sale(),
                sku.buckets().stream()
                        .filter(bucket -> bucket.state() == BucketState.ACTIVE)
                        .map(LedgerBucket::bucketNo)
                        .map(sku::bucketId)
                        .toList(),
                sku.buckets().stream()
                        .map(LedgerBucket::bucketNo)
                        .map(sku::bucketId)
                        .toList());
    }

    /** The bucket of a number that may not be of this layout any more. */
    public BucketId bucket(int bucketNo) {
        BucketId any = buckets.get(0);
        return new BucketId(any.skuId(), any.skuCode(), bucketNo);
    }
}
