package io.penstock.ledger;

import io.penstock.stock.BucketState;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SaleState;
import io.smallrye.mutiny.Uni;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a bucket inside a transaction that sees one instant. Pages follow the index, whose entries end with the deduct key. */
final class BucketSnapshot implements Snapshot {

    private static final String BUCKET = """
            SELECT sku_bucket.allotted, sku_bucket.state, sku.sale, sku_bucket.epoch
              FROM sku_bucket JOIN sku ON sku.sku_id = sku_bucket.sku_id
             WHERE sku_bucket.sku_id = ? AND sku_bucket.bucket_no = ?
            """;

    /** The ledger has moved these, the gate may not have them yet. STARTED ones are in the gate alone, DONE ones in both. */
    private static final String TRANSFERS = """
            SELECT id, from_bucket, to_bucket, units, state
              FROM stock_transfer
             WHERE sku_id = ? AND state IN ('MOVED', 'BACK') AND (from_bucket = ? OR to_bucket = ?)
            """;

    private static final String SOLD = """
            SELECT deduct_key, qty
              FROM stock_deduct_flow FORCE INDEX (idx_sku_bucket)
             WHERE sku_id = ? AND bucket_no = ? AND deduct_key > ? AND status = 'DEDUCTED'
             ORDER BY deduct_key
             LIMIT ?
            """;

    /** A flow without a bucket is CANCELLED, and refused in every one. */
    private static final String FINISHED = """
            (SELECT deduct_key
               FROM stock_deduct_flow FORCE INDEX (idx_sku_bucket)
              WHERE sku_id = ? AND bucket_no = ? AND deduct_key > ? AND status <> 'DEDUCTED'
                AND (credit = 'OWED' OR updated_at >= CURRENT_TIMESTAMP(3) - INTERVAL ? MICROSECOND)
              ORDER BY deduct_key
              LIMIT ?)
            UNION ALL
            (SELECT deduct_key
               FROM stock_deduct_flow FORCE INDEX (idx_sku_bucket)
              WHERE sku_id = ? AND bucket_no IS NULL AND deduct_key > ?
                AND (credit = 'OWED' OR updated_at >= CURRENT_TIMESTAMP(3) - INTERVAL ? MICROSECOND)
              ORDER BY deduct_key
              LIMIT ?)
            ORDER BY deduct_key
            LIMIT ?
            """;

    private final Transactions transactions;
    private final Transaction transaction;
    private final BucketRef bucket;

    BucketSnapshot(Transactions transactions, Transaction transaction, BucketRef bucket) {
        this.transactions = transactions;
        this.transaction = transaction;
        this.bucket = bucket;
    }

    @Override
    public Uni<Units> units() {
        return page(BUCKET, sku(), bucket.bucketNo())
                .flatMap(rows -> rows.size() == 0
                        ? Uni.createFrom().failure(new UnknownSku(bucket.skuId(), bucket.bucketNo()))
                        : page(TRANSFERS, sku(), bucket.bucketNo(), bucket.bucketNo())
                                .map(transfers -> units(rows.iterator().next(), transfers)));
    }

    private Units units(Row row, RowSet<Row> transfers) {
        Map<String, Long> included = new HashMap<>();
        for (Row transfer : transfers) {
            Integer from = transfer.getInteger("from_bucket");
            boolean leaves = from != null && from == bucket.bucketNo();
            String id = transfer.getString("id");
            long units = transfer.getLong("units");
            switch (TransferState.valueOf(transfer.getString("state"))) {
                case MOVED -> included.put(id, leaves ? -units : units);
                case BACK -> {
                    if (leaves) {
                        included.put(id + "/back", units);
                    }
                }
                case STARTED, DONE -> throw new IllegalStateException("not asked for");
            }
        }
        return new Units(
                row.getLong("allotted"),
                BucketState.valueOf(row.getString("state")),
                SaleState.valueOf(row.getString("sale")),
                row.getLong("epoch"),
                Map.copyOf(included));
    }

    @Override
    public Uni<Map<DeductKey, Quantity>> sold(DeductKey after, int limit) {
        return page(SOLD, sku(), bucket.bucketNo(), first(after), limit).map(rows -> {
            Map<DeductKey, Quantity> sold = new LinkedHashMap<>();
            rows.forEach(row -> sold.put(FlowTable.deductKey(row), new Quantity(row.getInteger("qty"))));
            return sold;
        });
    }

    @Override
    public Uni<List<DeductKey>> finished(Duration age, DeductKey after, int limit) {
        long micros = age.toNanos() / 1_000;
        String from = first(after);
        return page(FINISHED, sku(), bucket.bucketNo(), from, micros, limit, sku(), from, micros, limit, limit)
                .map(rows -> {
                    List<DeductKey> finished = new ArrayList<>();
                    rows.forEach(row -> finished.add(FlowTable.deductKey(row)));
                    return finished;
                });
    }

    private Uni<RowSet<Row>> page(String sql, Object... values) {
        return transactions.bounded(transaction.execute(sql, values));
    }

    private long sku() {
        return bucket.skuId().value();
    }

    /** No key is empty, so the empty one is before the first. */
    private static String first(DeductKey after) {
        return after == null ? "" : after.value();
    }
}
