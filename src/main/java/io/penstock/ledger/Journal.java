package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** {@code stock_journal}: one appended line per change, in the transaction that changes. */
final class Journal {

    static final String SETTLEMENT = "settlement";

    /**
     * @param bucketNo null if the change is of no single bucket
     * @param deductKey null if it is of no flow
     * @param changed what: a flow's new status, {@code CREDIT_DONE}, {@code DEFINED}, {@code LOADING}, {@code GIVEN}, {@code TAKEN}, {@code REFUSED}
     * @param before for a flow the units its key held, for a credit its state, for a bucket the units it had been given, for a
     *     loading the epoch; {@code after} alike
     */
    record Line(
            SkuId skuId,
            Integer bucketNo,
            DeductKey deductKey,
            String changed,
            String by,
            String why,
            Object before,
            Object after) {

        private JsonObject json() {
            return new JsonObject()
                    .put("sku", skuId.value())
                    .put("bucket", bucketNo)
                    .put("key", deductKey == null ? null : deductKey.value())
                    .put("changed", changed)
                    .put("by", Given.text(by, 64))
                    .put("why", Given.text(why, 255))
                    .put("before", before == null ? null : before.toString())
                    .put("after", after == null ? null : after.toString());
        }
    }

    private static final String APPEND = """
            INSERT INTO stock_journal (sku_id, bucket_no, deduct_key, changed, changed_by, why, before_value, after_value)
            SELECT given.sku_id, given.bucket_no, given.deduct_key, given.changed, given.changed_by, given.why,
                   given.before_value, given.after_value
              FROM JSON_TABLE(?, '$[*]' COLUMNS (
                       sku_id       BIGINT                             PATH '$.sku',
                       bucket_no    INT                                PATH '$.bucket',
                       deduct_key   VARCHAR(64)  CHARACTER SET ascii   PATH '$.key',
                       changed      VARCHAR(32)  CHARACTER SET ascii   PATH '$.changed',
                       changed_by   VARCHAR(64)  CHARACTER SET utf8mb4 PATH '$.by',
                       why          VARCHAR(255) CHARACTER SET utf8mb4 PATH '$.why',
                       before_value VARCHAR(64)  CHARACTER SET utf8mb4 PATH '$.before',
                       after_value  VARCHAR(64)  CHARACTER SET utf8mb4 PATH '$.after')) AS given
            """;

    private static final String OF_FLOW = """
            SELECT at, changed, changed_by, why
              FROM stock_journal
             WHERE sku_id = ? AND deduct_key = ?
             ORDER BY id
             LIMIT ?
            """;

    /** The same for flows that are all sold, from the parameter they were inserted with. */
    private static final String APPEND_DEDUCTED = """
            INSERT INTO stock_journal (sku_id, bucket_no, deduct_key, changed, changed_by, before_value, after_value)
            SELECT given.sku_id, given.bucket_no, given.deduct_key, 'DEDUCTED', ?, '0', given.qty
              FROM %s
            """.formatted(Given.FLOWS);

    /** Only the credits that this transaction has marked. */
    private static final String APPEND_CREDITS = """
            INSERT INTO stock_journal (sku_id, bucket_no, deduct_key, changed, changed_by, before_value, after_value)
            SELECT given.sku_id, COALESCE(stock_deduct_flow.bucket_no, stock_deduct_flow.found_bucket), given.deduct_key,
                   'CREDIT_DONE', 'gate', 'OWED', 'DONE'
              FROM %s STRAIGHT_JOIN stock_deduct_flow FORCE INDEX (PRIMARY)
                ON stock_deduct_flow.deduct_key = given.deduct_key AND stock_deduct_flow.sku_id = given.sku_id
             WHERE stock_deduct_flow.batch_id = ?
            """.formatted(Given.FLOWS);

    private Journal() {}

    static Uni<Void> append(Transaction transaction, Collection<Line> lines) {
        return lines.isEmpty()
                ? Uni.createFrom().voidItem()
                : execute(transaction, APPEND, Given.rows(lines, Line::json));
    }

    static Uni<Void> append(Transaction transaction, Line line) {
        return append(transaction, List.of(line));
    }

    static Uni<Void> appendDeducted(Transaction transaction, String flows) {
        return execute(transaction, APPEND_DEDUCTED, SETTLEMENT, flows);
    }

    static Uni<Void> appendCreditsDone(Transaction transaction, String flows, long batchId) {
        return execute(transaction, APPEND_CREDITS, flows, batchId);
    }

    private static Uni<Void> execute(Transaction transaction, String sql, Object... values) {
        return transaction.execute(sql, values).replaceWithVoid();
    }

    /** The oldest lines of one flow. */
    static Uni<List<JournalEntry>> of(Transaction transaction, FlowId id, int limit) {
        return transaction
                .execute(OF_FLOW, id.skuId().value(), id.deductKey().value(), limit)
                .map(rows -> {
                    List<JournalEntry> entries = new ArrayList<>();
                    rows.forEach(row -> entries.add(new JournalEntry(
                            FlowTable.instant(row, "at"),
                            row.getString("changed"),
                            row.getString("changed_by"),
                            row.getString("why"))));
                    return entries;
                });
    }
}
