package io.penstock.ledger;

import io.penstock.stock.BucketState;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import io.vertx.sqlclient.Row;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** {@code sku_bucket}. Every statement visits its rows sorted, and a transaction comes here after its flows. */
final class BucketTable {

    /** Sells units. A bucket with fewer is not counted, and nothing is taken from it: the gate over-admitted. */
    private static final String TAKE = """
            UPDATE %s STRAIGHT_JOIN sku_bucket FORCE INDEX (PRIMARY)
                ON sku_bucket.sku_id = given.sku_id AND sku_bucket.bucket_no = given.bucket_no
               SET sku_bucket.available = sku_bucket.available - given.units
             WHERE sku_bucket.available >= given.units
            """.formatted(Given.BUCKETS);

    /** Gives sold units back. A bucket that is not counted does not exist, or never sold them: a defect. */
    private static final String PUT_BACK = """
            UPDATE %s STRAIGHT_JOIN sku_bucket FORCE INDEX (PRIMARY)
                ON sku_bucket.sku_id = given.sku_id AND sku_bucket.bucket_no = given.bucket_no
               SET sku_bucket.available = sku_bucket.available + given.units
             WHERE sku_bucket.available + given.units <= sku_bucket.allotted
            """.formatted(Given.BUCKETS);

    /** Changes what a bucket has been given, by a negative number too. A bucket that is not counted has fewer units left than would go. */
    private static final String ALLOT = """
            UPDATE %s STRAIGHT_JOIN sku_bucket FORCE INDEX (PRIMARY)
                ON sku_bucket.sku_id = given.sku_id AND sku_bucket.bucket_no = given.bucket_no
               SET sku_bucket.available = sku_bucket.available + given.units,
                   sku_bucket.allotted = sku_bucket.allotted + given.units
             WHERE sku_bucket.available + given.units >= 0
            """.formatted(Given.BUCKETS);

    private static final String COLUMNS =
            "sku_bucket.sku_id, sku_bucket.bucket_no, sku_bucket.state, sku_bucket.allotted, sku_bucket.available, sku_bucket.epoch";

    /** Those that exist. Buckets are never deleted, so no lock is needed. */
    private static final String EXISTING = """
            SELECT %s
              FROM %s STRAIGHT_JOIN sku_bucket FORCE INDEX (PRIMARY)
                ON sku_bucket.sku_id = given.sku_id AND sku_bucket.bucket_no = given.bucket_no
            """.formatted(COLUMNS, Given.BUCKETS);

    private static final String LOCK = EXISTING + " FOR UPDATE";

    private static final String LOCK_SKU = "SELECT " + COLUMNS + """
              FROM sku_bucket
             WHERE sku_id = ?
             ORDER BY bucket_no
               FOR UPDATE
            """;

    private BucketTable() {}

    static Uni<Integer> take(Transaction transaction, SortedMap<BucketRef, Long> units) {
        return count(transaction, TAKE, units);
    }

    static Uni<Integer> putBack(Transaction transaction, SortedMap<BucketRef, Long> units) {
        return count(transaction, PUT_BACK, units);
    }

    static Uni<Integer> allot(Transaction transaction, SortedMap<BucketRef, Long> units) {
        return count(transaction, ALLOT, units);
    }

    static Uni<SortedMap<BucketRef, LedgerBucket>> existing(Transaction transaction, Collection<BucketRef> buckets) {
        return select(transaction, EXISTING, Given.rows(buckets, Given::bucket));
    }

    /** The buckets as they are, and as they stay until the transaction ends. */
    static Uni<SortedMap<BucketRef, LedgerBucket>> lock(Transaction transaction, Collection<BucketRef> sorted) {
        return select(transaction, LOCK, Given.rows(sorted, Given::bucket));
    }

    /** All buckets of a SKU, as above. */
    static Uni<SortedMap<BucketRef, LedgerBucket>> lock(Transaction transaction, SkuId skuId) {
        return select(transaction, LOCK_SKU, skuId.value());
    }

    /** @throws IllegalStateException if not every bucket was counted, where that cannot be */
    static void mustBeAll(int counted, Map<BucketRef, ?> buckets) {
        if (counted != buckets.size()) {
            throw new IllegalStateException(counted + " of the buckets " + buckets.keySet() + " could be changed");
        }
    }

    private static Uni<Integer> count(Transaction transaction, String sql, SortedMap<BucketRef, Long> units) {
        String given = Given.rows(
                units.entrySet(), entry -> Given.bucket(entry.getKey()).put("units", entry.getValue()));
        return transaction.count(sql, given);
    }

    private static Uni<SortedMap<BucketRef, LedgerBucket>> select(Transaction transaction, String sql, Object value) {
        return transaction.execute(sql, value).map(rows -> {
            SortedMap<BucketRef, LedgerBucket> buckets = new TreeMap<>();
            for (Row row : rows) {
                LedgerBucket bucket = bucket(row);
                buckets.put(new BucketRef(new SkuId(row.getLong("sku_id")), bucket.bucketNo()), bucket);
            }
            return buckets;
        });
    }

    static LedgerBucket bucket(Row row) {
        return new LedgerBucket(
                row.getInteger("bucket_no"),
                BucketState.valueOf(row.getString("state")),
                row.getLong("allotted"),
                row.getLong("available"),
                row.getLong("epoch"));
    }
}
