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
import java.util.Set;

/**
 * How a SKU is sold: what does not change with every deduction.
 *
 * @param active the buckets that sell, ascending
 * @param buckets all of them, retired ones too
 * @param former the buckets that sold together, of each layout that ended within the retry horizon
 * @param allotted units that the ACTIVE buckets have been given
 */
public record Layout(
        SkuId skuId,
        Strategy strategy,
        Ordering ordering,
        SaleState sale,
        List<BucketId> active,
        List<BucketId> buckets,
        List<List<BucketId>> former,
        long allotted) {

    static Layout of(LedgerSku sku, List<Set<Integer>> former) {
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
                sku.bucketIds(),
                former.stream()
                        .map(active -> active.stream().map(sku::bucketId).toList())
                        .toList(),
                sku.buckets().stream()
                        .filter(bucket -> bucket.state() == BucketState.ACTIVE)
                        .mapToLong(LedgerBucket::allotted)
                        .sum());
    }

    /** Whether the SKU has the bucket, retired or not. */
    public boolean has(int bucketNo) {
        return buckets.stream().anyMatch(bucket -> bucket.bucketNo() == bucketNo);
    }

    /** Whether the bucket is ACTIVE. */
    public boolean sells(int bucketNo) {
        return active.stream().anyMatch(bucket -> bucket.bucketNo() == bucketNo);
    }

    /** The bucket of a number that may not be of this layout any more. */
    public BucketId bucket(int bucketNo) {
        BucketId any = buckets.get(0);
        return new BucketId(any.skuId(), any.skuCode(), bucketNo);
    }
}
