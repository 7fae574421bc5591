package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * 补偿: what is owed, one row a debt, until it is given. A flow's credit gets its row in the transaction that owes it, and loses it in the one that
 * marks it DONE; strays are written here by whoever finds them. Every method fails with {@link LedgerUnavailable} when the ledger cannot say.
 */
@ApplicationScoped
public class CompensationLedger {

    private static final int EVERY_BUCKET = -1;
    private static final int ERROR = 255;

    /** A debt that is written down already stays as it is. */
    private static final String OWE_STRAYS = """
            INSERT INTO stock_compensation (sku_id, deduct_key, kind, bucket_no, qty)
            SELECT given.sku_id, given.deduct_key, 'STRAY', given.bucket_no, given.qty
              FROM %s
                ON DUPLICATE KEY UPDATE kind = stock_compensation.kind
            """.formatted(Given.FLOWS);

    /** Zero rows: given before. */
    private static final String STRAY_GIVEN = """
            DELETE FROM stock_compensation WHERE sku_id = ? AND deduct_key = ? AND kind = 'STRAY' AND bucket_no = ?
            """;

    private static final String COLUMNS =
            "kind, sku_id, deduct_key, bucket_no, qty, attempts, last_error, next_attempt";

    private static final String OF_KEY = "SELECT " + COLUMNS + """
              FROM stock_compensation
             WHERE sku_id = ? AND deduct_key = ?
             ORDER BY kind, bucket_no
            """;

    private static final String LIST = "SELECT " + COLUMNS + """
              FROM stock_compensation
             WHERE (sku_id, deduct_key, kind, bucket_no) > (?, ?, ?, ?)
             ORDER BY sku_id, deduct_key, kind, bucket_no
             LIMIT ?
            """;

    private static final String PENDING =
            "SELECT COUNT(*) AS debts, COALESCE(MAX(attempts), 0) AS attempts FROM stock_compensation";

    /** A debt is due from its next attempt on; before the first, whoever made it is probably giving it. */
    private static final String DUE = "SELECT " + COLUMNS + """
              FROM stock_compensation
             WHERE next_attempt <= CURRENT_TIMESTAMP(3) - INTERVAL IF(attempts = 0, ?, 0) MICROSECOND
             ORDER BY next_attempt
             LIMIT ?
            """;

    /** Zero rows: given meanwhile. */
    private static final String FAILED = """
            UPDATE stock_compensation
               SET attempts = attempts + 1, last_error = ?,
                   next_attempt = CURRENT_TIMESTAMP(3) + INTERVAL ? MICROSECOND
             WHERE sku_id = ? AND deduct_key = ? AND kind = ? AND bucket_no = ?
            """;

    private final Transactions transactions;

    CompensationLedger(Transactions transactions) {
        this.transactions = transactions;
    }

    public Uni<Void> oweStrays(List<Stray> strays) {
        List<Stray> sorted = strays.stream()
                .sorted((a, b) -> new FlowId(a.skuId(), a.deductKey()).compareTo(new FlowId(b.skuId(), b.deductKey())))
                .toList();
        String given = Given.rows(
                sorted, stray -> flow(stray).put("bucket", stray.bucketNo()).put("qty", stray.qty()));
        return transactions.run(
                transaction -> transaction.execute(OWE_STRAYS, given).map(done -> Ending.keep(null)));
    }

    private static JsonObject flow(Stray stray) {
        return Given.flow(new FlowId(stray.skuId(), stray.deductKey()));
    }

    /** The stray is restored. Repeating it changes nothing. */
    public Uni<Void> strayGiven(Debt stray) {
        return transactions.run(transaction -> transaction
                .execute(STRAY_GIVEN, stray.skuId().value(), stray.deductKey().value(), stray.bucketNo())
                .map(done -> Ending.keep(null)));
    }

    /**
     * Debts that are due, the longest due first.
     *
     * @param untouched how long a debt nobody has tried to give yet is left to whoever made it
     */
    public Uni<List<Debt>> due(Duration untouched, int limit) {
        return transactions.read(transaction ->
                transaction.execute(DUE, untouched.toNanos() / 1_000, limit).map(CompensationLedger::debts));
    }

    /** Whatever is owed for one key; empty if nothing is. */
    public Uni<List<Debt>> of(SkuId skuId, DeductKey deductKey) {
        return transactions.read(transaction ->
                transaction.execute(OF_KEY, skuId.value(), deductKey.value()).map(CompensationLedger::debts));
    }

    /** A place in the order of debts: by SKU, deduct key, kind and bucket. */
    public record Position(long skuId, String deductKey, String kind, int bucketNo) {

        public static final Position FIRST = new Position(0, "", "", EVERY_BUCKET);

        public static Position of(Debt debt) {
            return new Position(
                    debt.skuId().value(),
                    debt.deductKey().value(),
                    debt.kind().name(),
                    debt.bucketNo() == null ? EVERY_BUCKET : debt.bucketNo());
        }
    }

    /** Debts behind {@code after}, ascending. */
    public Uni<List<Debt>> list(Position after, int limit) {
        return transactions.read(transaction -> transaction
                .execute(LIST, after.skuId(), after.deductKey(), after.kind(), after.bucketNo(), limit)
                .map(CompensationLedger::debts));
    }

    /** @param attempts the most that any of them has taken so far */
    public record Pending(long debts, long attempts) {}

    public Uni<Pending> pending() {
        return transactions.read(transaction -> transaction
                .execute(PENDING)
                .map(rows -> rows.iterator().next())
                .map(row -> new Pending(row.getLong("debts"), row.getLong("attempts"))));
    }

    /** An attempt failed; the next is due after {@code delay}, on the ledger's clock. */
    public Uni<Void> failed(Debt debt, String error, Duration delay) {
        return transactions.run(transaction -> transaction
                .execute(
                        FAILED,
                        Given.text(error, ERROR),
                        delay.toNanos() / 1_000,
                        debt.skuId().value(),
                        debt.deductKey().value(),
                        debt.kind().name(),
                        Position.of(debt).bucketNo())
                .map(done -> Ending.keep(null)));
    }

    private static List<Debt> debts(RowSet<Row> rows) {
        List<Debt> debts = new ArrayList<>();
        rows.forEach(row -> debts.add(debt(row)));
        return debts;
    }

    private static Debt debt(Row row) {
        int bucketNo = row.getInteger("bucket_no");
        return new Debt(
                Debt.Kind.valueOf(row.getString("kind")),
                new SkuId(row.getLong("sku_id")),
                FlowTable.deductKey(row),
                bucketNo == EVERY_BUCKET ? null : bucketNo,
                row.getInteger("qty"),
                row.getInteger("attempts"),
                row.getString("last_error"),
                FlowTable.instant(row, "next_attempt"));
    }
}
