package io.penstock.ledger;

import io.penstock.stock.Credit;
import io.penstock.stock.DeductKey;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** {@code stock_deduct_flow}. Callers give flows sorted. */
final class FlowTable {

    /**
     * A row as a transaction sees it.
     *
     * @param batchId of the transaction that last wrote it
     */
    record FlowRow(Flow flow, long batchId) {}

    /** Counts new rows. A row that exists stays as it is, is counted 0 and is locked, so that what it says holds until the end. */
    private static final String INSERT_DEDUCTED = """
            INSERT INTO stock_deduct_flow (deduct_key, sku_id, bucket_no, qty, status, trace_id, batch_id)
            SELECT given.deduct_key, given.sku_id, given.bucket_no, given.qty, 'DEDUCTED', given.trace_id, ?
              FROM %s
                ON DUPLICATE KEY UPDATE batch_id = stock_deduct_flow.batch_id
            """.formatted(Given.FLOWS);

    /** As above. */
    private static final String INSERT_CANCELLED = """
            INSERT INTO stock_deduct_flow (deduct_key, sku_id, status, credit, batch_id)
            SELECT given.deduct_key, given.sku_id, 'CANCELLED', ?, ?
              FROM %s
                ON DUPLICATE KEY UPDATE batch_id = stock_deduct_flow.batch_id
            """.formatted(Given.FLOWS);

    /** Counts the flows that were DEDUCTED. Others are final already and stay as they are. */
    private static final String ROLL_BACK = """
            UPDATE %s STRAIGHT_JOIN stock_deduct_flow FORCE INDEX (PRIMARY)
                ON stock_deduct_flow.deduct_key = given.deduct_key AND stock_deduct_flow.sku_id = given.sku_id
               SET stock_deduct_flow.status = 'ROLLED_BACK', stock_deduct_flow.credit = ?, stock_deduct_flow.batch_id = ?,
                   stock_deduct_flow.updated_at = CURRENT_TIMESTAMP(3)
             WHERE stock_deduct_flow.status = 'DEDUCTED'
            """.formatted(Given.FLOWS);

    /** Counts the flows that this transaction has inserted; fewer than given is a defect. */
    private static final String REJECT = """
            UPDATE %s STRAIGHT_JOIN stock_deduct_flow FORCE INDEX (PRIMARY)
                ON stock_deduct_flow.deduct_key = given.deduct_key AND stock_deduct_flow.sku_id = given.sku_id
               SET stock_deduct_flow.status = 'REJECTED', stock_deduct_flow.credit = 'OWED'
             WHERE stock_deduct_flow.status = 'DEDUCTED' AND stock_deduct_flow.batch_id = ?
            """.formatted(Given.FLOWS);

    /** Counts the credits that were owed. Zero rows: done before, or nothing was owed. */
    private static final String CREDIT_DONE = """
            UPDATE %s STRAIGHT_JOIN stock_deduct_flow FORCE INDEX (PRIMARY)
                ON stock_deduct_flow.deduct_key = given.deduct_key AND stock_deduct_flow.sku_id = given.sku_id
               SET stock_deduct_flow.credit = 'DONE', stock_deduct_flow.batch_id = ?,
                   stock_deduct_flow.updated_at = CURRENT_TIMESTAMP(3),
                   stock_deduct_flow.found_bucket = IF(stock_deduct_flow.status = 'CANCELLED', given.bucket_no, NULL),
                   stock_deduct_flow.qty = IF(stock_deduct_flow.status = 'CANCELLED', given.qty, stock_deduct_flow.qty)
             WHERE stock_deduct_flow.credit = 'OWED'
            """.formatted(Given.FLOWS);

    private static final String MOVED_TO =
            "UPDATE stock_deduct_flow SET moved_to = ? WHERE deduct_key = ? AND sku_id = ?";

    private static final String COLUMNS = """
            stock_deduct_flow.deduct_key, stock_deduct_flow.sku_id,
            COALESCE(stock_deduct_flow.bucket_no, stock_deduct_flow.found_bucket) AS bucket_no, stock_deduct_flow.qty,
            stock_deduct_flow.status, stock_deduct_flow.credit, stock_deduct_flow.batch_id, stock_deduct_flow.moved_to,
            stock_deduct_flow.created_at, stock_deduct_flow.updated_at
            """;

    private static final String READ_ALL = """
            SELECT %s
              FROM %s STRAIGHT_JOIN stock_deduct_flow FORCE INDEX (PRIMARY)
                ON stock_deduct_flow.deduct_key = given.deduct_key AND stock_deduct_flow.sku_id = given.sku_id
            """.formatted(COLUMNS, Given.FLOWS);

    private static final String READ = "SELECT " + COLUMNS + """
              FROM stock_deduct_flow
             WHERE deduct_key = ? AND sku_id = ?
            """;

    private FlowTable() {}

    /** A number by which a transaction knows its own rows again: 64 random bits. */
    static long newBatchId() {
        return ThreadLocalRandom.current().nextLong();
    }

    static Uni<Integer> insertDeducted(Transaction transaction, String flows, long batchId) {
        return count(transaction, INSERT_DEDUCTED, batchId, flows);
    }

    static Uni<Integer> insertCancelled(Transaction transaction, String flows, Credit credit, long batchId) {
        return count(transaction, INSERT_CANCELLED, credit.name(), batchId, flows);
    }

    static Uni<Integer> rollBack(Transaction transaction, String flows, Credit credit, long batchId) {
        return count(transaction, ROLL_BACK, flows, credit.name(), batchId);
    }

    static Uni<Integer> reject(Transaction transaction, String flows, long batchId) {
        return count(transaction, REJECT, flows, batchId);
    }

    static Uni<Integer> creditDone(Transaction transaction, String flows, long batchId) {
        return count(transaction, CREDIT_DONE, flows, batchId);
    }

    static Uni<Void> movedTo(Transaction transaction, FlowId flow, int bucketNo) {
        return transaction
                .execute(
                        MOVED_TO,
                        bucketNo,
                        flow.deductKey().value(),
                        flow.skuId().value())
                .replaceWithVoid();
    }

    /** Those of the given flows that exist. */
    static Uni<Map<FlowId, FlowRow>> read(Transaction transaction, String flows) {
        return transaction.execute(READ_ALL, flows).map(rows -> {
            Map<FlowId, FlowRow> read = new HashMap<>();
            rows.forEach(row -> {
                FlowRow flowRow = flowRow(row);
                read.put(FlowId.of(flowRow.flow()), flowRow);
            });
            return read;
        });
    }

    static Uni<Optional<FlowRow>> read(Transaction transaction, FlowId id) {
        return transaction
                .execute(READ, id.deductKey().value(), id.skuId().value())
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(flowRow(rows.iterator().next())));
    }

    private static Uni<Integer> count(Transaction transaction, String sql, Object... values) {
        return transaction.count(sql, values);
    }

    static String json(Collection<FlowId> flows) {
        return Given.rows(flows, Given::flow);
    }

    static DeductKey deductKey(Row row) {
        return new DeductKey(row.getBuffer("deduct_key").toString("US-ASCII"));
    }

    static Instant instant(Row row, String column) {
        LocalDateTime utc = row.getLocalDateTime(column);
        return utc.toInstant(ZoneOffset.UTC);
    }

    private static FlowRow flowRow(Row row) {
        Flow flow = new Flow(
                new SkuId(row.getLong("sku_id")),
                deductKey(row),
                row.getInteger("bucket_no"),
                row.getInteger("qty"),
                FlowStatus.valueOf(row.getString("status")),
                Credit.valueOf(row.getString("credit")),
                row.getInteger("moved_to"),
                instant(row, "created_at"),
                instant(row, "updated_at"));
        return new FlowRow(flow, row.getLong("batch_id"));
    }
}
