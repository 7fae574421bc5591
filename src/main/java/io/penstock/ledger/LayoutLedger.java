package io.penstock.ledger;

import io.penstock.stock.BucketState;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Which of a SKU's buckets sell, now and formerly, and whether it sells at all. Each change is one transaction under the lock of the SKU's row. Every method fails with
 * {@link LedgerUnavailable} when the ledger cannot say.
 */
@ApplicationScoped
public class LayoutLedger {

    private static final String LOCK = "SELECT sku_id FROM sku WHERE sku_id = ? FOR UPDATE";

    private static final String SET_SALE = "UPDATE sku SET sale = ? WHERE sku_id = ?";

    private static final String KEEP_FORMER = "INSERT INTO sku_layout (sku_id, active) VALUES (?, ?)";

    private static final String FORGET_FORMER =
            "DELETE FROM sku_layout WHERE sku_id = ? AND ended_at < CURRENT_TIMESTAMP(3) - INTERVAL ? MICROSECOND";

    private static final String FORMER = """
            SELECT active
              FROM sku_layout
             WHERE sku_id = ? AND ended_at >= CURRENT_TIMESTAMP(3) - INTERVAL ? MICROSECOND
             ORDER BY ended_at DESC
            """;

    /** New ones have no units yet. */
    private static final String ADD = """
            INSERT INTO sku_bucket (sku_id, bucket_no, allotted, available)
            SELECT given.sku_id, given.bucket_no, 0, 0
              FROM %s
            """.formatted(Given.BUCKETS);

    private static final String SET_STATE = """
            UPDATE %s STRAIGHT_JOIN sku_bucket FORCE INDEX (PRIMARY)
                ON sku_bucket.sku_id = given.sku_id AND sku_bucket.bucket_no = given.bucket_no
               SET sku_bucket.state = ?
            """.formatted(Given.BUCKETS);

    private final Transactions transactions;

    LayoutLedger(Transactions transactions) {
        this.transactions = transactions;
    }

    /** Pauses or opens a sale; the SKU as it is then. Fails with {@link UnknownSku} too. */
    public Uni<LedgerSku> setSale(SkuId skuId, SaleState sale) {
        return transactions.run(transaction -> lock(transaction, skuId).chain(sku -> {
            if (sku == null) {
                return Uni.createFrom().item(Ending.refuse(new UnknownSku(skuId)));
            }
            if (sku.sale() == sale) {
                return Uni.createFrom().item(Ending.keep(sku));
            }
            Journal.Line line = new Journal.Line(skuId, null, null, "SALE", "http", null, sku.sale(), sale);
            return transaction
                    .execute(SET_SALE, sale.name(), skuId.value())
                    .chain(() -> Journal.append(transaction, line))
                    .chain(() -> SkuLedger.find(transaction, skuId))
                    .map(Ending::keep);
        }));
    }

    /**
     * Changes which buckets sell; the SKU as it is then. Numbers it has not had become new buckets, without units; those it has and that are not named become OFFLINE. The former layout is kept for the
     * retry horizon.
     *
     * @param active the numbers that are to sell, from the SKU as it is; its failure arrives unchanged, and nothing is changed
     * @return fails with {@link UnknownSku} too
     */
    public Uni<LedgerSku> setActive(SkuId skuId, Function<LedgerSku, Set<Integer>> active, Duration retryHorizon) {
        return transactions.run(transaction -> lock(transaction, skuId).chain(sku -> {
            if (sku == null) {
                return Uni.createFrom().item(Ending.refuse(new UnknownSku(skuId)));
            }
            Set<Integer> wanted;
            try {
                wanted = new TreeSet<>(active.apply(sku));
            } catch (RuntimeException refusal) {
                return Uni.createFrom().item(Ending.refuse(refusal));
            }
            return wanted.equals(sku.numbers(BucketState.ACTIVE))
                    ? Uni.createFrom().item(Ending.keep(sku))
                    : change(transaction, sku, wanted, retryHorizon)
                            .chain(() -> SkuLedger.find(transaction, skuId))
                            .map(Ending::keep);
        }));
    }

    private static Uni<Void> change(
            Transaction transaction, LedgerSku sku, Set<Integer> wanted, Duration retryHorizon) {
        Set<Integer> active = sku.numbers(BucketState.ACTIVE);
        Set<Integer> offline = sku.numbers(BucketState.OFFLINE);
        Set<Integer> added = without(without(wanted, active), offline);
        Set<Integer> returned = without(without(wanted, active), added);
        Set<Integer> retired = without(active, wanted);
        List<Journal.Line> lines = new ArrayList<>();
        added.forEach(bucketNo -> lines.add(line(sku, bucketNo, null, BucketState.ACTIVE)));
        returned.forEach(bucketNo -> lines.add(line(sku, bucketNo, BucketState.OFFLINE, BucketState.ACTIVE)));
        retired.forEach(bucketNo -> lines.add(line(sku, bucketNo, BucketState.ACTIVE, BucketState.OFFLINE)));
        return transaction
                .execute(KEEP_FORMER, sku.skuId().value(), text(active))
                .chain(() -> transaction.execute(FORGET_FORMER, sku.skuId().value(), micros(retryHorizon)))
                .chain(() -> transaction.execute(ADD, rows(sku, added)))
                .chain(() -> transaction.execute(SET_STATE, rows(sku, returned), BucketState.ACTIVE.name()))
                .chain(() -> transaction.execute(SET_STATE, rows(sku, retired), BucketState.OFFLINE.name()))
                .chain(() -> Journal.append(transaction, lines));
    }

    /** The buckets that sold together, formerly: of each layout that ended within the horizon, the last first. */
    public Uni<List<Set<Integer>>> former(SkuId skuId, Duration retryHorizon) {
        return transactions.read(transaction -> transaction
                .execute(FORMER, skuId.value(), micros(retryHorizon))
                .map(rows -> {
                    List<Set<Integer>> former = new ArrayList<>();
                    rows.forEach(row -> former.add(numbers(row.getString("active"))));
                    return former;
                }));
    }

    /** Null if there is none. */
    private static Uni<LedgerSku> lock(Transaction transaction, SkuId skuId) {
        return transaction.execute(LOCK, skuId.value()).chain(() -> SkuLedger.find(transaction, skuId));
    }

    private static Set<Integer> numbers(String text) {
        return Arrays.stream(text.split(",")).map(Integer::valueOf).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String text(Set<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static Set<Integer> without(Set<Integer> all, Set<Integer> these) {
        Set<Integer> rest = new TreeSet<>(all);
        rest.removeAll(these);
        return rest;
    }

    private static String rows(LedgerSku sku, Set<Integer> bucketNos) {
        return Given.rows(bucketNos, bucketNo -> Given.bucket(new BucketRef(sku.skuId(), bucketNo)));
    }

    private static Journal.Line line(LedgerSku sku, int bucketNo, BucketState before, BucketState after) {
        return new Journal.Line(sku.skuId(), bucketNo, null, "STATE", "http", null, before, after);
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }
}
