package io.penstock.ledger;

import io.penstock.stock.BucketId;
import io.penstock.stock.BucketState;
import io.penstock.stock.Ordering;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A SKU as the ledger has it now, buckets ascending. */
public record LedgerSku(
        SkuId skuId,
        SkuCode skuCode,
        Strategy strategy,
        Ordering ordering,
        SaleState sale,
        List<LedgerBucket> buckets) {

    /** Units given so far: the first total and every adjustment since. */
    public long total() {
        return buckets.stream().mapToLong(LedgerBucket::allotted).sum();
    }

    /** Units not sold, over all buckets. */
    public long available() {
        return buckets.stream().mapToLong(LedgerBucket::available).sum();
    }

    /** All of them, retired ones too, ascending. */
    public List<BucketId> bucketIds() {
        return buckets.stream().map(bucket -> bucketId(bucket.bucketNo())).toList();
    }

    /** The numbers of the buckets in this state, ascending; a copy. */
    public TreeSet<Integer> numbers(BucketState state) {
        return buckets.stream()
                .filter(bucket -> bucket.state() == state)
                .map(LedgerBucket::bucketNo)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    public BucketId bucketId(int bucketNo) {
        return new BucketId(skuId, skuCode, bucketNo);
    }
}
