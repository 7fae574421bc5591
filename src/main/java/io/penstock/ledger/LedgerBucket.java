package io.penstock.ledger;

import io.penstock.stock.BucketState;

/**
 * One row of {@code sku_bucket}.
 *
 * @param allotted units the bucket has been given
 * @param available of them, units not sold; never below 0
 * @param epoch how often Redis was loaded from it
 */
public record LedgerBucket(int bucketNo, BucketState state, long allotted, long available, long epoch) {

    public long sold() {
        return allotted - available;
    }
}
