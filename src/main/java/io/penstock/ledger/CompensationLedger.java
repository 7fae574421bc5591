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
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * 补偿: what is owed, one row a debt, until it is given. A flow's credit gets its row in the transaction that owes it, and loses it in the one that
 * marks it DONE; strays, and rollbacks that could not be decided, are written here by whoever finds them. Every method fails with {@link LedgerUnavailable}
 * when the ledger cannot say.
 */
@ApplicationScoped
public class CompensationLedger {

    private static final int EVERY_BUCKET = -1;
    private static final int TEXT = 255;

    /** A debt that is written down already stays as it is. Due at once: the sweeper takes a few at a time, however many an outage left. */
    private static final String OWE = """
            INSERT INTO stock_compensation (sku_id, deduct_key, kind, bucket_no, qty, cause)
            SELECT given.sku_id, given.deduct_key, given.kind, given.bucket_no, given.qty, given.cause
              FROM JSON_TABLE(?, '$[*]' COLUMNS (
                       sku_id     BIGINT                             PATH '$.sku',
                       deduct_key VARCHAR(64)  CHARACTER SET ascii   PATH '$.key',
                       kind       VARCHAR(16)  CHARACTER SET ascii   PATH '$.kind',
                       bucket_no  INT                                PATH '$.bucket',
                       qty        INT                                PATH '$.qty',
                       cause      VARCHAR(255) CHARACTER SET utf8mb4 PATH '$.cause')) AS given
                ON DUPLICATE KEY UPDATE kind = stock_compensation.kind
            """;

    /** Rows that are due already keep their place. Zero rows: nothing is owed. */
    private static final String HASTEN_CREDITS = """
            UPDATE %s STRAIGHT_JOIN stock_compensation FORCE INDEX (PRIMARY)
                ON stock_compensation.sku_id = given.sku_id AND stock_compensation.deduct_key = given.deduct_key
               SET stock_compensation.next_attempt = LEAST(stock_compensation.next_attempt, CURRENT_TIMESTAMP(3))
             WHERE stock_compensation.kind = 'CREDIT'
            """.formatted(Given.FLOWS);

    /** Zero rows: given before, or a CREDIT, which only its flow's transaction may remove. */
    private static final String GIVEN = """
            DELETE FROM stock_compensation
             WHERE sku_id = ? AND deduct_key = ? AND kind = ? AND bucket_no = ? AND kind <> 'CREDIT'
            """;

    private static final String COLUMNS =
            "kind, sku_id, deduct_key, bucket_no, qty, attempts, last_error, next_attempt, cause";

    /** A newer version may owe what this one does not know: it is passed over, not stumbled upon. */
    private static final String KNOWN_KIND = Stream.of(Debt.Kind.values())
            .map(kind -> "'" + kind + "'")
            .collect(Collectors.joining(", ", " kind IN (", ")"));

    private static final String OF_KEY = "SELECT " + COLUMNS + """
              FROM stock_compensation
             WHERE sku_id = ? AND deduct_key = ? AND %s
             ORDER BY kind, bucket_no
            """.formatted(KNOWN_KIND);

    private static final String LIST = "SELECT " + COLUMNS + """
              FROM stock_compensation
             WHERE (sku_id, deduct_key, kind, bucket_no) > (?, ?, ?, ?) AND %s
             ORDER BY sku_id, deduct_key, kind, bucket_no
             LIMIT ?
            """.formatted(KNOWN_KIND);

    private static final String PENDING =
            "SELECT COUNT(*) AS debts, COALESCE(MAX(attempts), 0) AS attempts FROM stock_compensation";

    /** A debt is due from its next attempt on; before the first, whoever made it is probably giving it. */
    private static final String DUE = "SELECT " + COLUMNS + """
              FROM stock_compensation
             WHERE next_attempt <= CURRENT_TIMESTAMP(3) - INTERVAL IF(attempts = 0, ?, 0) MICROSECOND
               AND %s
             ORDER BY next_attempt
             LIMIT ?
            """.formatted(KNOWN_KIND);

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
        return owe(strays.stream().map(Owed::stray).toList());
    }

    /** Rollbacks that could not be decided, of SKUs that the ledger has: the sweeper decides them. Their reasons become the causes. */
    public Uni<Void> oweRollbacks(List<RollbackOrder> orders) {
        return owe(orders.stream().map(Owed::rollback).toList());
    }

    /**
     * Writes down what is owed, in one transaction; repeating it changes nothing. A CREDIT is written with its flow and nowhere else: here the one that is open, if any, becomes due.
     */
    public Uni<Void> owe(List<Owed> owed) {
        List<Owed> sorted = owed.stream()
                .sorted(Comparator.<Owed, FlowId>comparing(FlowId::of)
                        .thenComparing(Owed::kind)
                        .thenComparing(CompensationLedger::bucketNo))
                .toList();
        String debts = Given.rows(
                sorted.stream().filter(one -> one.kind() != Debt.Kind.CREDIT).toList(), CompensationLedger::row);
        String credits = Given.rows(
                sorted.stream().filter(one -> one.kind() == Debt.Kind.CREDIT).toList(),
                one -> Given.flow(FlowId.of(one)));
        return transactions.run(transaction -> transaction
                .execute(OWE, debts)
                .chain(() -> transaction.execute(HASTEN_CREDITS, credits))
                .map(done -> Ending.keep(null)));
    }

    private static JsonObject row(Owed owed) {
        return Given.flow(FlowId.of(owed))
                .put("kind", owed.kind().name())
                .put("bucket", bucketNo(owed))
                .put("qty", owed.qty())
                .put("cause", Given.text(owed.cause(), TEXT));
    }

    /** Only a stray is owed to one bucket that is known. */
    private static int bucketNo(Owed owed) {
        return owed.kind() == Debt.Kind.STRAY ? owed.bucketNo() : EVERY_BUCKET;
    }

    /** The stray is restored, or the rollback decided. Repeating it changes nothing; a CREDIT stays until its flow's is DONE. */
    public Uni<Void> given(Debt debt) {
        return transactions.run(transaction -> transaction
                .execute(
                        GIVEN,
                        debt.skuId().value(),
                        debt.deductKey().value(),
                        debt.kind().name(),
                        Position.of(debt).bucketNo())
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
                        Given.text(error, TEXT),
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
                FlowTable.instant(row, "next_attempt"),
                row.getString("cause"));
    }
}
