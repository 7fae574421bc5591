package io.penstock.ledger;

import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import io.vertx.sqlclient.Row;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * 库存调拨: recorded moves of units between two buckets of a SKU, one at a time for each SKU. Withdrawn from the gate first, then moved here, then deposited, so that units are missing from sale in
 * the middle and never doubled. Each step is one transaction, and idempotent: whoever finds a transfer open may go on with it.
 *
 * <p>Every method fails with {@link LedgerUnavailable} when the ledger cannot say.
 */
@ApplicationScoped
public class TransferLedger {

    /**
     * @param id as the gate's books name it
     * @param units STARTED, what is hoped for; then what was withdrawn
     * @param epoch in which the gate's next step has to be: of {@code from} while STARTED or BACK, of {@code to} when MOVED
     */
    public record Transfer(SkuId skuId, String id, int from, int to, long units, long epoch, TransferState state) {}

    private static final String LOCK_SKU = "SELECT sku_id FROM sku WHERE sku_id = ? FOR UPDATE";

    private static final String COLUMNS = """
            SELECT stock_transfer.sku_id, stock_transfer.id, stock_transfer.from_bucket, stock_transfer.to_bucket,
                   stock_transfer.units, stock_transfer.state,
                   CASE stock_transfer.state
                       WHEN 'MOVED' THEN (SELECT epoch FROM sku_bucket
                                           WHERE sku_id = stock_transfer.sku_id AND bucket_no = stock_transfer.to_bucket)
                       WHEN 'BACK' THEN (SELECT epoch FROM sku_bucket
                                          WHERE sku_id = stock_transfer.sku_id AND bucket_no = stock_transfer.from_bucket)
                       ELSE stock_transfer.epoch
                   END AS epoch
              FROM stock_transfer
            """;

    private static final String FIND = COLUMNS + " WHERE stock_transfer.id = ? AND stock_transfer.sku_id = ?";

    /** An adjustment's parts are its own. */
    private static final String OPEN = COLUMNS + """
             WHERE stock_transfer.sku_id = ? AND stock_transfer.state IN ('STARTED', 'MOVED', 'BACK')
               AND stock_transfer.adjustment_key IS NULL
             LIMIT 1
            """;

    private static final String START = """
            INSERT INTO stock_transfer (id, sku_id, from_bucket, to_bucket, units, epoch, state)
            SELECT ?, ?, ?, ?, ?, epoch, 'STARTED'
              FROM sku_bucket
             WHERE sku_id = ? AND bucket_no = ?
            """;

    private static final String LOCK = "SELECT id FROM stock_transfer WHERE id = ? AND sku_id = ? FOR UPDATE";

    private static final String CHANGE = """
            UPDATE stock_transfer
               SET units = ?, epoch = ?, state = ?, updated_at = CURRENT_TIMESTAMP(3)
             WHERE id = ? AND sku_id = ?
            """;

    /** Never a STARTED one: what left the gate for it is unknown to the ledger. */
    private static final String DONE = """
            UPDATE stock_transfer
               SET state = 'DONE', updated_at = CURRENT_TIMESTAMP(3)
             WHERE id = ? AND sku_id = ? AND state IN ('MOVED', 'BACK')
            """;

    private static final String LEFT_OPEN = """
            SELECT DISTINCT sku_id
              FROM stock_transfer
             WHERE state IN ('STARTED', 'MOVED', 'BACK') AND adjustment_key IS NULL
               AND created_at <= CURRENT_TIMESTAMP(3) - INTERVAL ? MICROSECOND
             LIMIT ?
            """;

    private final Transactions transactions;

    TransferLedger(Transactions transactions) {
        this.transactions = transactions;
    }

    /**
     * Begins a transfer, STARTED, unless one of the SKU is open: then that one is answered, to be finished first.
     *
     * @param id 1–96 characters with a slash, never used before
     * @param units at most so many
     */
    public Uni<Transfer> start(SkuId skuId, String id, int from, int to, long units) {
        return transactions.run(transaction -> transaction
                .execute(LOCK_SKU, skuId.value())
                .chain(() -> transaction.execute(OPEN, skuId.value()))
                .chain(open -> open.size() > 0
                        ? Uni.createFrom().item(transfer(open.iterator().next()))
                        : transaction
                                .execute(START, id, skuId.value(), from, to, units, skuId.value(), from)
                                .chain(() -> find(transaction, skuId, id)))
                .map(Ending::keep));
    }

    /** Null if no transfer of the SKU is open. */
    public Uni<Transfer> open(SkuId skuId) {
        return transactions.read(transaction -> transaction
                .execute(OPEN, skuId.value())
                .map(rows -> rows.size() == 0 ? null : transfer(rows.iterator().next())));
    }

    /** The transfer as it is now. */
    public Uni<Transfer> find(Transfer transfer) {
        return transactions.read(transaction -> find(transaction, transfer.skuId(), transfer.id()));
    }

    /**
     * The gate has withdrawn units, in the transfer's epoch: moves them. Answers how it stands then: MOVED, or DONE if there were none; BACK if the ledger's bucket has fewer, after lost data; STARTED again,
     * in the bucket's new epoch, if a load has undone the withdrawal. One that another has taken further is answered as it is.
     */
    public Uni<Transfer> move(Transfer started, long withdrawn) {
        return transactions.run(transaction -> transaction
                .execute(LOCK, started.id(), started.skuId().value())
                .chain(() -> find(transaction, started.skuId(), started.id()))
                .chain(now -> now.state() == TransferState.STARTED && now.epoch() == started.epoch()
                        ? move(transaction, now, withdrawn)
                        : Uni.createFrom().voidItem())
                .chain(() -> find(transaction, started.skuId(), started.id()))
                .map(Ending::keep));
    }

    private static Uni<Void> move(Transaction transaction, Transfer transfer, long withdrawn) {
        BucketRef from = new BucketRef(transfer.skuId(), transfer.from());
        BucketRef to = new BucketRef(transfer.skuId(), transfer.to());
        return BucketTable.lock(transaction, new TreeSet<>(List.of(from, to))).chain(buckets -> {
            LedgerBucket source = buckets.get(from);
            if (source.epoch() != transfer.epoch()) {
                return change(transaction, transfer, transfer.units(), source.epoch(), TransferState.STARTED);
            }
            if (withdrawn == 0) {
                return change(transaction, transfer, 0, source.epoch(), TransferState.DONE);
            }
            if (source.available() < withdrawn) {
                return change(transaction, transfer, withdrawn, source.epoch(), TransferState.BACK);
            }
            SortedMap<BucketRef, Long> units = new TreeMap<>();
            units.put(from, -withdrawn);
            units.put(to, withdrawn);
            return BucketTable.allot(transaction, units)
                    .invoke(count -> BucketTable.mustBeAll(count, units))
                    .chain(() -> Journal.append(
                            transaction,
                            List.of(line(transfer, source, -withdrawn), line(transfer, buckets.get(to), withdrawn))))
                    .chain(() -> change(transaction, transfer, withdrawn, source.epoch(), TransferState.MOVED));
        });
    }

    /** The gate has the units: DONE. */
    public Uni<Void> done(Transfer transfer) {
        return transactions.run(transaction -> transaction
                .execute(DONE, transfer.id(), transfer.skuId().value())
                .replaceWith(Ending.keep(null)));
    }

    /** SKUs that have had a transfer open for longer than {@code age}, on the ledger's clock. */
    public Uni<List<SkuId>> leftOpen(Duration age, int limit) {
        return transactions.read(transaction -> transaction
                .execute(LEFT_OPEN, age.toNanos() / 1_000, limit)
                .map(rows -> {
                    List<SkuId> skus = new ArrayList<>();
                    rows.forEach(row -> skus.add(new SkuId(row.getLong("sku_id"))));
                    return skus;
                }));
    }

    private static Uni<Transfer> find(Transaction transaction, SkuId skuId, String id) {
        return transaction
                .execute(FIND, id, skuId.value())
                .map(rows -> transfer(rows.iterator().next()));
    }

    private static Uni<Void> change(
            Transaction transaction, Transfer transfer, long units, long epoch, TransferState state) {
        return transaction
                .execute(
                        CHANGE,
                        units,
                        epoch,
                        state.name(),
                        transfer.id(),
                        transfer.skuId().value())
                .replaceWithVoid();
    }

    private static Journal.Line line(Transfer transfer, LedgerBucket bucket, long units) {
        return new Journal.Line(
                transfer.skuId(),
                bucket.bucketNo(),
                null,
                "TRANSFER",
                transfer.id(),
                null,
                bucket.allotted(),
                bucket.allotted() + units);
    }

    private static Transfer transfer(Row row) {
        return new Transfer(
                new SkuId(row.getLong("sku_id")),
                row.getString("id"),
                row.getInteger("from_bucket"),
                row.getInteger("to_bucket"),
                row.getLong("units"),
                row.getLong("epoch"),
                TransferState.valueOf(row.getString("state")));
    }
}
