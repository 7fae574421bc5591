package io.penstock.ledger;

import io.penstock.stock.SkuId;
import java.util.Comparator;

/** A bucket row's identity, in the order in which every transaction touches bucket rows: after its flows. */
public record BucketRef(SkuId skuId, int bucketNo) implements Comparable<BucketRef> {

    private static final Comparator<BucketRef> ORDER =
            Comparator.comparing(BucketRef::skuId).thenComparingInt(BucketRef::bucketNo);

    @Override
    public int compareTo(BucketRef other) {
        return ORDER.compare(this, other);
    }
}
