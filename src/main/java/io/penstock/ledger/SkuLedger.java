package io.penstock.ledger;

import io.penstock.stock.Ordering;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * SKUs and their buckets. Every method fails with {@link LedgerUnavailable} when the ledger cannot say.
 *
 * <p>May be called from any thread.
 */
@ApplicationScoped
public class SkuLedger {

    public enum Defined {
        CREATED,
        SAME,
        CONFLICT
    }

    /** Counts 1 for a new SKU. Zero rows: it is known and stays as it is, whoever defined it a moment ago. */
    private static final String DEFINE = """
            INSERT INTO sku (sku_id, sku_code, total, buckets, strategy, ordering)
            VALUES (?, ?, ?, ?, ?, ?)
                ON DUPLICATE KEY UPDATE sku_code = sku.sku_code
            """;

    private static final String ADD_BUCKETS = """
            INSERT INTO sku_bucket (sku_id, bucket_no, allotted, available)
            SELECT given.sku_id, given.bucket_no, given.units, given.units
              FROM %s
            """.formatted(Given.BUCKETS);

    private static final String DEFINITION =
            "SELECT sku_id, sku_code, total, buckets, strategy, ordering FROM sku WHERE sku_id = ?";

    private static final String COLUMNS = """
            SELECT sku.sku_id, sku.sku_code, sku.strategy, sku.ordering, sku.sale,
                   sku_bucket.bucket_no, sku_bucket.state, sku_bucket.allotted, sku_bucket.available, sku_bucket.epoch
            """;

    private static final String FIND = COLUMNS + """
              FROM sku JOIN sku_bucket ON sku_bucket.sku_id = sku.sku_id
             WHERE sku.sku_id = ?
             ORDER BY sku_bucket.bucket_no
            """;

    private static final String LIST = COLUMNS + """
              FROM (SELECT * FROM sku WHERE sku_id > ? ORDER BY sku_id LIMIT ?) AS sku
              JOIN sku_bucket ON sku_bucket.sku_id = sku.sku_id
             ORDER BY sku.sku_id, sku_bucket.bucket_no
            """;

    /** Zero rows: there is no such bucket. */
    private static final String RAISE_EPOCH =
            "UPDATE sku_bucket SET epoch = epoch + 1 WHERE sku_id = ? AND bucket_no = ?";

    private static final String EPOCH = "SELECT epoch FROM sku_bucket WHERE sku_id = ? AND bucket_no = ?";

    /** Read as one statement, so that units and transfers are of one instant. */
    private static final String ALLOTMENT = """
            SELECT CURRENT_TIMESTAMP(3) AS at, sku_bucket.allotted,
                   (SELECT COUNT(*)
                      FROM stock_transfer
                     WHERE stock_transfer.sku_id = sku_bucket.sku_id AND stock_transfer.state <> 'DONE'
                       AND (stock_transfer.from_bucket = ? OR stock_transfer.to_bucket = ?)) AS open_transfers
              FROM sku_bucket
             WHERE sku_bucket.sku_id = ? AND sku_bucket.bucket_no = ?
            """;

    private static final String UNDERWAY = """
            SELECT CAST((SELECT COALESCE(SUM(qty), 0)
                           FROM stock_compensation
                          WHERE sku_id = ? AND kind = 'CREDIT') AS SIGNED) AS owed,
                   CAST((SELECT COALESCE(SUM(units), 0)
                           FROM stock_transfer
                          WHERE sku_id = ? AND state IN ('STARTED', 'MOVED', 'BACK')) AS SIGNED) AS moving
            """;

    private final Transactions transactions;

    SkuLedger(Transactions transactions) {
        this.transactions = transactions;
    }

    /** Writes a SKU with its buckets, units split evenly and the remainder to the first ones; once. */
    public Uni<Defined> define(SkuDefinition definition) {
        return transactions.run(transaction -> transaction
                .count(
                        DEFINE,
                        definition.skuId().value(),
                        definition.skuCode().value(),
                        definition.total(),
                        numbers(definition.bucketNos()),
                        definition.strategy().name(),
                        definition.ordering().name())
                .flatMap(written ->
                        written == 1 ? addBuckets(transaction, definition) : compare(transaction, definition)));
    }

    private static Uni<Ending<Defined>> addBuckets(Transaction transaction, SkuDefinition definition) {
        List<JsonObject> buckets = new ArrayList<>();
        Map<Integer, Long> shares = evenly(definition.total(), definition.bucketNos());
        shares.forEach((bucketNo, units) -> buckets.add(
                Given.bucket(new BucketRef(definition.skuId(), bucketNo)).put("units", units)));
        return transaction
                .execute(ADD_BUCKETS, Given.rows(buckets, bucket -> bucket))
                .chain(() -> Journal.append(
                        transaction,
                        new Journal.Line(
                                definition.skuId(), null, null, "DEFINED", "http", null, null, definition.total())))
                .replaceWith(Ending.keep(Defined.CREATED));
    }

    private static Uni<Ending<Defined>> compare(Transaction transaction, SkuDefinition definition) {
        return transaction
                .execute(DEFINITION, definition.skuId().value())
                .map(rows -> Ending.keep(
                        definition.equals(definition(rows.iterator().next())) ? Defined.SAME : Defined.CONFLICT));
    }

    public Uni<Optional<LedgerSku>> find(SkuId skuId) {
        return transactions.read(transaction -> find(transaction, skuId)).map(Optional::ofNullable);
    }

    /** Null if there is none. */
    static Uni<LedgerSku> find(Transaction transaction, SkuId skuId) {
        return transaction
                .execute(FIND, skuId.value())
                .map(rows -> skus(rows).stream().findFirst().orElse(null));
    }

    /** SKUs with an id above {@code after}, ascending, at most {@code limit}. */
    public Uni<List<LedgerSku>> list(long after, int limit) {
        return transactions.read(
                transaction -> transaction.execute(LIST, after, limit).map(SkuLedger::skus));
    }

    /**
     * Begins a load of one bucket: what was begun in an older epoch is refused from now on. Returns the new epoch. Fails with
     * {@link UnknownSku} too.
     */
    public Uni<Long> raiseEpoch(SkuId skuId, int bucketNo) {
        return transactions.run(transaction -> transaction
                .count(RAISE_EPOCH, skuId.value(), bucketNo)
                .flatMap(raised -> raised == 1
                        ? raised(transaction, skuId, bucketNo)
                        : Uni.createFrom().item(Ending.refuse(new UnknownSku(skuId, bucketNo)))));
    }

    private static Uni<Ending<Long>> raised(Transaction transaction, SkuId skuId, int bucketNo) {
        return transaction
                .execute(EPOCH, skuId.value(), bucketNo)
                .map(rows -> rows.iterator().next().getLong("epoch"))
                .call(epoch -> Journal.append(
                        transaction,
                        new Journal.Line(skuId, bucketNo, null, "LOADING", "warm-up", null, epoch - 1, epoch)))
                .map(Ending::keep);
    }

    /**
     * Reads one bucket at one instant, in pages; the snapshot ends with the returned Uni. Each page has the ledger's timeout, the
     * whole has none. A failure of {@code reading} arrives unchanged. Between two pages no more time may pass than
     * {@code penstock.ledger.silence}, or the snapshot is lost.
     */
    public <T> Uni<T> snapshot(SkuId skuId, int bucketNo, Function<Snapshot, Uni<T>> reading) {
        return transactions.snapshot(transaction ->
                reading.apply(new BucketSnapshot(transactions, transaction, new BucketRef(skuId, bucketNo))));
    }

    /**
     * Units of the SKU that the ledger owes Redis, and that are inside open transfers.
     *
     * @param owed what credits of ROLLED_BACK and REJECTED flows come to: in the ledger's books, not yet in the gate's. What a
     *     CANCELLED one gives back is unknown until the gate has it, and not counted.
     * @param moving units of all transfers and parts of adjustments that are not DONE. Those MOVED or BACK are in no bucket of
     *     the gate; of those STARTED some, all or none may have been withdrawn already, so this is the most that can be missing.
     */
    public record Underway(long owed, long moving) {}

    public Uni<Underway> underway(SkuId skuId) {
        return transactions.read(transaction -> transaction
                .execute(UNDERWAY, skuId.value(), skuId.value())
                .map(rows -> rows.iterator().next())
                .map(row -> new Underway(row.getLong("owed"), row.getLong("moving"))));
    }

    /**
     * One bucket at one instant.
     *
     * @param at on the ledger's clock
     * @param openTransfers transfers of this bucket, and parts of adjustments, that are not DONE
     */
    public record Allotment(Instant at, long allotted, long openTransfers) {}

    /** Fails with {@link UnknownSku} too. */
    public Uni<Allotment> allotment(SkuId skuId, int bucketNo) {
        return transactions.run(transaction -> transaction
                .execute(ALLOTMENT, bucketNo, bucketNo, skuId.value(), bucketNo)
                .map(rows -> rows.size() == 0
                        ? Ending.refuse(new UnknownSku(skuId, bucketNo))
                        : Ending.keep(allotment(rows.iterator().next()))));
    }

    private static Allotment allotment(Row row) {
        return new Allotment(FlowTable.instant(row, "at"), row.getLong("allotted"), row.getLong("open_transfers"));
    }

    /** How often each of the buckets was loaded; those the ledger does not have are absent. */
    public Uni<Map<BucketRef, Long>> epochs(Collection<BucketRef> buckets) {
        return transactions
                .read(transaction -> BucketTable.existing(transaction, buckets))
                .map(found -> found.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, bucket -> bucket.getValue().epoch())));
    }

    /** Splits units over buckets, the remainder to the first ones. */
    static Map<Integer, Long> evenly(long units, List<Integer> bucketNos) {
        Map<Integer, Long> shares = new LinkedHashMap<>();
        long each = units / bucketNos.size();
        long remainder = units % bucketNos.size();
        for (int bucketNo : bucketNos) {
            shares.put(bucketNo, shares.size() < remainder ? each + 1 : each);
        }
        return shares;
    }

    private static String numbers(List<Integer> bucketNos) {
        return bucketNos.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static SkuDefinition definition(Row row) {
        List<Integer> bucketNos = new ArrayList<>();
        for (String number : row.getString("buckets").split(",")) {
            bucketNos.add(Integer.valueOf(number));
        }
        return new SkuDefinition(
                new SkuId(row.getLong("sku_id")),
                new SkuCode(row.getString("sku_code")),
                row.getLong("total"),
                bucketNos,
                Strategy.valueOf(row.getString("strategy")),
                Ordering.valueOf(row.getString("ordering")));
    }

    /** Rows of one SKU come together. */
    private static List<LedgerSku> skus(RowSet<Row> rows) {
        Map<Long, List<Row>> bySku = new LinkedHashMap<>();
        rows.forEach(row -> bySku.computeIfAbsent(row.getLong("sku_id"), id -> new ArrayList<>())
                .add(row));
        return bySku.values().stream().map(SkuLedger::sku).toList();
    }

    private static LedgerSku sku(List<Row> buckets) {
        Row row = buckets.get(0);
        return new LedgerSku(
                new SkuId(row.getLong("sku_id")),
                new SkuCode(row.getString("sku_code")),
                Strategy.valueOf(row.getString("strategy")),
                Ordering.valueOf(row.getString("ordering")),
                SaleState.valueOf(row.getString("sale")),
                buckets.stream().map(BucketTable::bucket).toList());
    }
}
