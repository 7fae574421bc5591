package io.penstock.ledger;

import io.penstock.stock.BucketState;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * 库存调整: a transfer with one side outside. Giving writes the ledger first; taking withdraws from the gate first. Each step is
 * one transaction, idempotent by adjustment key, and can be resumed by repeating it. Several instances may work on the same
 * adjustment: its row is locked first by each step, so that one of them decides.
 *
 * <p>Every method fails with {@link LedgerUnavailable} when the ledger cannot say. May be called from any thread.
 */
@ApplicationScoped
public class AdjustmentLedger {

    public enum State {
        /** Begun: its parts are not all done. */
        OPEN,
        /** The ledger and the gate have it. */
        DONE,
        /** Taking more than was left: everything was put back. */
        REFUSED
    }

    /**
     * One bucket's share.
     *
     * @param transferId as the gate's book names it
     * @param units what moves: STARTED, what is hoped for; MOVED, what is to be deposited; BACK, what is to be deposited again;
     *     DONE, what moved last, or 0 if nothing did
     * @param epoch STARTED, of the withdrawal; MOVED and BACK, the bucket's as the ledger has it now, in which to deposit
     */
    public record Part(String transferId, int bucketNo, long units, long epoch, TransferState state) {}

    /**
     * @param repeated whether the key was known before
     * @param delta as first given: compare it
     * @param parts ascending by bucket
     */
    public record Adjustment(
            SkuId skuId, String adjustmentKey, long delta, State state, boolean repeated, List<Part> parts) {}

    /** What the row says. An OPEN one that takes is undecided; TAKEN and BACK wait for the gate to have what goes back. */
    private enum Stored {
        OPEN(State.OPEN),
        TAKEN(State.OPEN),
        BACK(State.OPEN),
        DONE(State.DONE),
        REFUSED(State.REFUSED);

        private final State state;

        Stored(State state) {
            this.state = state;
        }

        /** What becomes of it when no part is open any more. */
        private Stored withoutOpenParts(long delta) {
            return switch (this) {
                case OPEN -> delta > 0 ? DONE : OPEN;
                case TAKEN, DONE -> DONE;
                case BACK, REFUSED -> REFUSED;
            };
        }
    }

    private record Begun(long delta, Stored stored, String reason) {}

    /** Counts 1 for a new key. Zero rows: it is known, stays as it is and is locked. */
    private static final String BEGIN = """
            INSERT INTO stock_adjustment (sku_id, adjustment_key, delta, reason, state)
            VALUES (?, ?, ?, ?, 'OPEN')
                ON DUPLICATE KEY UPDATE state = stock_adjustment.state
            """;

    /** Zero rows: the key was never begun. */
    private static final String LOCK =
            "SELECT delta, state, reason FROM stock_adjustment WHERE sku_id = ? AND adjustment_key = ? FOR UPDATE";

    private static final String DECIDE =
            "UPDATE stock_adjustment SET state = ? WHERE sku_id = ? AND adjustment_key = ?";

    private static final String STRATEGY = "SELECT strategy FROM sku WHERE sku_id = ?";

    /** Counts 1 for a new part. Zero rows: it was started before and stays as it is. */
    private static final String START_PART = """
            INSERT INTO stock_transfer (id, sku_id, from_bucket, to_bucket, units, epoch, state, adjustment_key)
            SELECT given.id, ?, given.from_bucket, given.to_bucket, given.units, given.epoch, given.state, ?
              FROM JSON_TABLE(?, '$[*]' COLUMNS (
                       id          VARCHAR(96) CHARACTER SET ascii PATH '$.id',
                       from_bucket INT                             PATH '$.from',
                       to_bucket   INT                             PATH '$.to',
                       units       BIGINT                          PATH '$.units',
                       epoch       BIGINT                          PATH '$.epoch',
                       state       VARCHAR(8)  CHARACTER SET ascii PATH '$.state')) AS given
                ON DUPLICATE KEY UPDATE state = stock_transfer.state
            """;

    /** Only under the adjustment's lock. */
    private static final String CHANGE_PARTS = """
            UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
                       id    VARCHAR(96) CHARACTER SET ascii PATH '$.id',
                       units BIGINT                          PATH '$.units',
                       epoch BIGINT                          PATH '$.epoch',
                       state VARCHAR(8)  CHARACTER SET ascii PATH '$.state')) AS given
                   STRAIGHT_JOIN stock_transfer FORCE INDEX (PRIMARY)
                ON stock_transfer.id = given.id AND stock_transfer.sku_id = ?
               SET stock_transfer.units = given.units, stock_transfer.epoch = given.epoch,
                   stock_transfer.state = given.state, stock_transfer.updated_at = CURRENT_TIMESTAMP(3)
            """;

    /** Never a STARTED part: what left the gate for it is unknown to the ledger. Zero rows: done before. */
    private static final String PARTS_DONE = """
            UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id VARCHAR(96) CHARACTER SET ascii PATH '$.id')) AS given
                   STRAIGHT_JOIN stock_transfer FORCE INDEX (PRIMARY)
                ON stock_transfer.id = given.id AND stock_transfer.sku_id = ?
               SET stock_transfer.state = 'DONE', stock_transfer.updated_at = CURRENT_TIMESTAMP(3)
             WHERE stock_transfer.adjustment_key = ? AND stock_transfer.state IN ('MOVED', 'BACK')
            """;

    private static final String PARTS = """
            SELECT stock_transfer.id, sku_bucket.bucket_no, stock_transfer.units, stock_transfer.state,
                   IF(stock_transfer.state IN ('MOVED', 'BACK'), sku_bucket.epoch, stock_transfer.epoch) AS epoch
              FROM stock_transfer
              JOIN sku_bucket ON sku_bucket.sku_id = stock_transfer.sku_id
                             AND sku_bucket.bucket_no = COALESCE(stock_transfer.from_bucket, stock_transfer.to_bucket)
             WHERE stock_transfer.sku_id = ? AND stock_transfer.adjustment_key = ?
             ORDER BY sku_bucket.bucket_no
            """;

    private static final String LEFT_OPEN = """
            SELECT sku_id, adjustment_key
              FROM stock_adjustment
             WHERE state NOT IN ('DONE', 'REFUSED') AND created_at <= CURRENT_TIMESTAMP(3) - INTERVAL ? MICROSECOND
             ORDER BY created_at
             LIMIT ?
            """;

    private static final String TRANSFERS_DONE = """
            SELECT stock_transfer.id
              FROM JSON_TABLE(?, '$[*]' COLUMNS (id VARCHAR(128) CHARACTER SET ascii PATH '$.id')) AS given
                   STRAIGHT_JOIN stock_transfer FORCE INDEX (PRIMARY)
                ON stock_transfer.id = given.id AND stock_transfer.sku_id = ?
             WHERE stock_transfer.state = 'DONE'
            """;

    private final Transactions transactions;

    AdjustmentLedger(Transactions transactions) {
        this.transactions = transactions;
    }

    /**
     * Begins a positive adjustment: the units are in the ledger's ACTIVE buckets, split evenly, with this call; parts are MOVED. A SKU that needs
     * no gate is DONE at once. A known key is answered as it is. Fails with {@link TotalTooLarge} or {@link UnknownSku} too.
     */
    public Uni<Adjustment> give(SkuId skuId, DeductKey adjustmentKey, long delta, String reason) {
        if (delta <= 0) {
            throw new IllegalArgumentException("giving is positive, not " + delta);
        }
        Step step = new Step(skuId, adjustmentKey);
        return transactions.run(transaction -> step.begin(transaction, delta, reason)
                .flatMap(isNew -> isNew
                        ? step.strategy(transaction)
                                .flatMap(strategy -> strategy.isPresent()
                                        ? give(transaction, step, delta, reason, strategy.get())
                                        : step.refuse(new UnknownSku(skuId)))
                        : step.answer(transaction, true)));
    }

    private static Uni<Ending<Adjustment>> give(
            Transaction transaction, Step step, long delta, String reason, Strategy strategy) {
        return BucketTable.lock(transaction, step.skuId).flatMap(buckets -> {
            long total =
                    buckets.values().stream().mapToLong(LedgerBucket::allotted).sum();
            if (total + delta > TotalTooLarge.MOST) {
                return step.refuse(new TotalTooLarge());
            }
            List<Integer> active = buckets.values().stream()
                    .filter(bucket -> bucket.state() == BucketState.ACTIVE)
                    .map(LedgerBucket::bucketNo)
                    .toList();
            boolean gated = strategy == Strategy.REDIS;
            SortedMap<BucketRef, Long> units = new TreeMap<>();
            List<Part> parts = new ArrayList<>();
            SkuLedger.evenly(delta, active).forEach((bucketNo, share) -> {
                if (share > 0) {
                    BucketRef ref = new BucketRef(step.skuId, bucketNo);
                    units.put(ref, share);
                    TransferState state = gated ? TransferState.MOVED : TransferState.DONE;
                    parts.add(new Part(
                            step.transferId(bucketNo),
                            bucketNo,
                            share,
                            buckets.get(ref).epoch(),
                            state));
                }
            });
            return BucketTable.allot(transaction, units)
                    .invoke(count -> BucketTable.mustBeAll(count, units))
                    .chain(() -> step.startParts(transaction, parts, false))
                    .chain(() -> step.journal(transaction, "GIVEN", reason, buckets, units))
                    .chain(() -> gated ? Uni.createFrom().voidItem() : step.decide(transaction, Stored.DONE))
                    .chain(() -> step.answer(transaction, false));
        });
    }

    /** Begins a negative one of a gated SKU: recorded, no parts yet. A known key is answered as it is. */
    public Uni<Adjustment> beginTaking(SkuId skuId, DeductKey adjustmentKey, long delta, String reason) {
        mustTake(delta);
        Step step = new Step(skuId, adjustmentKey);
        return transactions.run(transaction ->
                step.begin(transaction, delta, reason).flatMap(isNew -> step.answer(transaction, !isNew)));
    }

    /** A negative one of a SKU that needs no gate, in one transaction: DONE or REFUSED. A known key is answered as it is. */
    public Uni<Adjustment> takeUngated(SkuId skuId, DeductKey adjustmentKey, long delta, String reason) {
        mustTake(delta);
        Step step = new Step(skuId, adjustmentKey);
        return transactions.run(transaction -> step.begin(transaction, delta, reason)
                .flatMap(isNew -> isNew
                        ? BucketTable.lock(transaction, skuId)
                                .flatMap(buckets -> takeUngated(transaction, step, -delta, reason, buckets))
                        : step.answer(transaction, true)));
    }

    private static Uni<Ending<Adjustment>> takeUngated(
            Transaction transaction, Step step, long need, String reason, SortedMap<BucketRef, LedgerBucket> buckets) {
        Map<Integer, Long> all =
                buckets.values().stream().collect(Collectors.toMap(LedgerBucket::bucketNo, LedgerBucket::available));
        SortedMap<BucketRef, Long> taken = step.choose(need, all, buckets);
        boolean enough = taken.values().stream().mapToLong(Long::longValue).sum() == need;
        Uni<Void> ended = enough
                ? step.takeOut(transaction, reason, buckets, taken).chain(() -> step.decide(transaction, Stored.DONE))
                : step.journalRefusal(transaction, reason).chain(() -> step.decide(transaction, Stored.REFUSED));
        return ended.chain(() -> step.answer(transaction, false));
    }

    /**
     * Records that a part is about to be withdrawn from the gate: STARTED, with the units hoped for. Repeating it answers the same, whatever
     * is hoped for then. If the adjustment is decided, nothing is recorded and the part is DONE with 0 units: withdraw nothing.
     */
    public Uni<Part> startPart(SkuId skuId, DeductKey adjustmentKey, int bucketNo, long units, long epoch) {
        Step step = new Step(skuId, adjustmentKey);
        String transferId = step.transferId(bucketNo);
        Part wanted = new Part(transferId, bucketNo, units, epoch, TransferState.STARTED);
        return transactions.run(transaction -> step.lock(transaction).flatMap(locked -> {
            if (locked.isEmpty()) {
                return step.refuse(step.neverBegun());
            }
            Uni<Void> started = locked.get().stored() == Stored.OPEN
                    ? step.startParts(transaction, List.of(wanted), true)
                    : Uni.createFrom().voidItem();
            return started.chain(() -> step.parts(transaction))
                    .map(parts -> parts.stream()
                            .filter(part -> part.transferId().equals(transferId))
                            .findFirst()
                            .orElse(new Part(transferId, bucketNo, 0, epoch, TransferState.DONE)))
                    .map(Ending::keep);
        }));
    }

    /**
     * Ends the taking. Four ways, decided in one transaction:
     *
     * <ul>
     *   <li>A part was started that is not among {@code withdrawn}: another instance may have withdrawn units for it. Nothing moves, the
     *       adjustment stays OPEN: withdraw that part too and repeat.
     *   <li>A part's epoch is no longer its bucket's: the load has undone that withdrawal. The part is STARTED again in the bucket's epoch, nothing
     *       moves, the adjustment stays OPEN: withdraw again and repeat.
     *   <li>The parts cover the delta and the rows have enough: it leaves the ledger, all at once. The adjustment is DONE; if more was withdrawn
     *       than needed, the surplus is BACK and it is OPEN until {@link #partsDone}.
     *   <li>Otherwise nothing leaves: every part that withdrew units is BACK (DONE if it withdrew 0 units), the adjustment stays OPEN until {@link
     *       #partsDone}; without a part BACK it is REFUSED.
     * </ul>
     *
     * Decided before, it is answered as it is.
     *
     * @param withdrawn the parts with the units and the epoch of their real withdrawal
     */
    public Uni<Adjustment> take(SkuId skuId, DeductKey adjustmentKey, List<Part> withdrawn) {
        Step step = new Step(skuId, adjustmentKey);
        Map<String, Part> given =
                withdrawn.stream().collect(Collectors.toMap(Part::transferId, Function.identity(), (one, same) -> one));
        return transactions.run(transaction -> step.lock(transaction).flatMap(locked -> {
            if (locked.isEmpty()) {
                return step.refuse(step.neverBegun());
            }
            return locked.get().stored() == Stored.OPEN
                    ? step.parts(transaction).flatMap(parts -> take(transaction, step, locked.get(), parts, given))
                    : step.answer(transaction, true);
        }));
    }

    private static Uni<Ending<Adjustment>> take(
            Transaction transaction, Step step, Begun adjustment, List<Part> started, Map<String, Part> given) {
        List<String> known = started.stream().map(Part::transferId).toList();
        if (!known.containsAll(given.keySet())) {
            return step.refuse(new IllegalArgumentException("a part was withdrawn that was never started"));
        }
        if (!given.keySet().containsAll(known)) {
            return step.answer(transaction, true);
        }
        List<BucketRef> refs = started.stream()
                .map(part -> new BucketRef(step.skuId, part.bucketNo()))
                .toList();
        Uni<SortedMap<BucketRef, LedgerBucket>> locked =
                refs.isEmpty() ? Uni.createFrom().item(new TreeMap<>()) : BucketTable.lock(transaction, refs);
        return locked.flatMap(buckets -> {
            List<Part> undone = started.stream()
                    .filter(part -> given.get(part.transferId()).epoch() != step.epoch(part, buckets))
                    .map(part -> new Part(
                            part.transferId(),
                            part.bucketNo(),
                            part.units(),
                            step.epoch(part, buckets),
                            TransferState.STARTED))
                    .toList();
            return undone.isEmpty()
                    ? decide(transaction, step, adjustment, started, given, buckets)
                    : step.changeParts(transaction, undone).chain(() -> step.answer(transaction, true));
        });
    }

    private static Uni<Ending<Adjustment>> decide(
            Transaction transaction,
            Step step,
            Begun adjustment,
            List<Part> started,
            Map<String, Part> given,
            SortedMap<BucketRef, LedgerBucket> buckets) {
        long need = -adjustment.delta();
        Map<Integer, Long> withdrawn = started.stream()
                .collect(Collectors.toMap(
                        Part::bucketNo, part -> given.get(part.transferId()).units()));
        SortedMap<BucketRef, Long> chosen = step.choose(need, withdrawn, buckets);
        boolean enough = chosen.values().stream().mapToLong(Long::longValue).sum() == need;
        SortedMap<BucketRef, Long> taken = enough ? chosen : new TreeMap<>();
        List<Part> ended = new ArrayList<>();
        for (Part part : started) {
            long took = taken.getOrDefault(new BucketRef(step.skuId, part.bucketNo()), 0L);
            long back = withdrawn.get(part.bucketNo()) - took;
            ended.add(new Part(
                    part.transferId(),
                    part.bucketNo(),
                    back > 0 ? back : took,
                    step.epoch(part, buckets),
                    back > 0 ? TransferState.BACK : TransferState.DONE));
        }
        boolean waits = ended.stream().anyMatch(part -> part.state() == TransferState.BACK);
        Stored decided = enough ? Stored.TAKEN : Stored.BACK;
        Uni<Void> moved = enough
                ? step.takeOut(transaction, adjustment.reason(), buckets, taken)
                : step.journalRefusal(transaction, adjustment.reason());
        return moved.chain(() -> step.changeParts(transaction, ended))
                .chain(() -> step.decide(transaction, waits ? decided : decided.withoutOpenParts(adjustment.delta())))
                .chain(() -> step.answer(transaction, true));
    }

    /**
     * The gate has these parts (deposit, or deposit back): DONE. With the last one the adjustment is DONE, or REFUSED if nothing was taken.
     * A part that is STARTED stays so.
     */
    public Uni<Adjustment> partsDone(SkuId skuId, DeductKey adjustmentKey, List<String> transferIds) {
        Step step = new Step(skuId, adjustmentKey);
        return transactions.run(transaction -> step.lock(transaction).flatMap(locked -> {
            if (locked.isEmpty()) {
                return step.refuse(step.neverBegun());
            }
            Begun adjustment = locked.get();
            return step.partsDone(transaction, transferIds)
                    .chain(() -> step.parts(transaction))
                    .flatMap(parts -> {
                        boolean waits = parts.stream().anyMatch(part -> part.state() != TransferState.DONE);
                        return waits
                                ? Uni.createFrom().voidItem()
                                : step.decide(transaction, adjustment.stored().withoutOpenParts(adjustment.delta()));
                    })
                    .chain(() -> step.answer(transaction, true));
        }));
    }

    /** Adjustments begun longer than {@code age} ago, on the ledger's clock, and not finished; the oldest first. */
    public Uni<List<Adjustment>> leftOpen(Duration age, int limit) {
        return transactions.read(transaction -> transaction
                .execute(LEFT_OPEN, age.toNanos() / 1_000, limit)
                .map(rows -> {
                    List<Step> open = new ArrayList<>();
                    rows.forEach(row -> open.add(new Step(
                            new SkuId(row.getLong("sku_id")),
                            new DeductKey(row.getBuffer("adjustment_key").toString(StandardCharsets.US_ASCII)))));
                    return open;
                })
                .flatMap(open -> Multi.createFrom()
                        .iterable(open)
                        .onItem()
                        .transformToUniAndConcatenate(step -> step.answer(transaction, true))
                        .map(Ending::answer)
                        .collect()
                        .asList()));
    }

    /** Those of a SKU's transfers that are DONE. */
    public Uni<Set<String>> done(SkuId skuId, Collection<String> transferIds) {
        String given = Given.rows(transferIds, id -> new JsonObject().put("id", id));
        return transactions.read(transaction -> transaction
                .execute(TRANSFERS_DONE, given, skuId.value())
                .map(rows -> {
                    Set<String> done = new HashSet<>();
                    rows.forEach(row -> done.add(row.getString("id")));
                    return done;
                }));
    }

    private static void mustTake(long delta) {
        if (delta >= 0) {
            throw new IllegalArgumentException("taking is negative, not " + delta);
        }
    }

    /** The statements of one adjustment. */
    private record Step(SkuId skuId, DeductKey key) {

        String transferId(int bucketNo) {
            return "adjust/" + key + "/" + bucketNo;
        }

        /** Whether the key is new. */
        Uni<Boolean> begin(Transaction transaction, long delta, String reason) {
            return transaction
                    .count(BEGIN, skuId.value(), key.value(), delta, Given.text(reason, 255))
                    .map(count -> count == 1);
        }

        Uni<Optional<Begun>> lock(Transaction transaction) {
            return transaction.execute(LOCK, skuId.value(), key.value()).map(rows -> {
                if (rows.size() == 0) {
                    return Optional.empty();
                }
                Row row = rows.iterator().next();
                return Optional.of(new Begun(
                        row.getLong("delta"), Stored.valueOf(row.getString("state")), row.getString("reason")));
            });
        }

        Uni<Optional<Strategy>> strategy(Transaction transaction) {
            return transaction
                    .execute(STRATEGY, skuId.value())
                    .map(rows -> rows.size() == 0
                            ? Optional.empty()
                            : Optional.of(
                                    Strategy.valueOf(rows.iterator().next().getString("strategy"))));
        }

        Uni<Void> decide(Transaction transaction, Stored stored) {
            return transaction
                    .execute(DECIDE, stored.name(), skuId.value(), key.value())
                    .replaceWithVoid();
        }

        Uni<Void> startParts(Transaction transaction, List<Part> parts, boolean leaving) {
            String given = Given.rows(
                    parts,
                    part -> json(part)
                            .put("from", leaving ? part.bucketNo() : null)
                            .put("to", leaving ? null : part.bucketNo()));
            return transaction
                    .execute(START_PART, skuId.value(), key.value(), given)
                    .replaceWithVoid();
        }

        Uni<Void> changeParts(Transaction transaction, List<Part> parts) {
            return parts.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : transaction
                            .execute(CHANGE_PARTS, Given.rows(parts, Step::json), skuId.value())
                            .replaceWithVoid();
        }

        Uni<Void> partsDone(Transaction transaction, List<String> transferIds) {
            String given = Given.rows(transferIds, id -> new JsonObject().put("id", id));
            return transaction
                    .execute(PARTS_DONE, given, skuId.value(), key.value())
                    .replaceWithVoid();
        }

        private static JsonObject json(Part part) {
            return new JsonObject()
                    .put("id", part.transferId())
                    .put("units", part.units())
                    .put("epoch", part.epoch())
                    .put("state", part.state().name());
        }

        Uni<List<Part>> parts(Transaction transaction) {
            return transaction.execute(PARTS, skuId.value(), key.value()).map(rows -> {
                List<Part> parts = new ArrayList<>();
                rows.forEach(row -> parts.add(new Part(
                        row.getString("id"),
                        row.getInteger("bucket_no"),
                        row.getLong("units"),
                        row.getLong("epoch"),
                        TransferState.valueOf(row.getString("state")))));
                return List.copyOf(parts);
            });
        }

        /** The adjustment as this transaction leaves it. */
        Uni<Ending<Adjustment>> answer(Transaction transaction, boolean repeated) {
            return lock(transaction)
                    .flatMap(row -> parts(transaction)
                            .map(parts -> Ending.keep(new Adjustment(
                                    skuId,
                                    key.value(),
                                    row.orElseThrow().delta(),
                                    row.get().stored().state,
                                    repeated,
                                    parts))));
        }

        <T> Uni<Ending<T>> refuse(RuntimeException refusal) {
            return Uni.createFrom().item(Ending.refuse(refusal));
        }

        RuntimeException neverBegun() {
            return new IllegalArgumentException("the adjustment was never begun");
        }

        long epoch(Part part, SortedMap<BucketRef, LedgerBucket> buckets) {
            return buckets.get(new BucketRef(skuId, part.bucketNo())).epoch();
        }

        /** Which units to take, bucket by bucket, as far as needed, offered and there. */
        SortedMap<BucketRef, Long> choose(
                long need, Map<Integer, Long> offered, SortedMap<BucketRef, LedgerBucket> buckets) {
            SortedMap<BucketRef, Long> chosen = new TreeMap<>();
            long missing = need;
            for (Map.Entry<BucketRef, LedgerBucket> entry : buckets.entrySet()) {
                long most = Math.min(
                        offered.get(entry.getKey().bucketNo()), entry.getValue().available());
                long units = Math.min(most, missing);
                if (units > 0) {
                    chosen.put(entry.getKey(), units);
                    missing -= units;
                }
            }
            return chosen;
        }

        Uni<Void> takeOut(
                Transaction transaction,
                String reason,
                SortedMap<BucketRef, LedgerBucket> buckets,
                SortedMap<BucketRef, Long> taken) {
            SortedMap<BucketRef, Long> leaving = new TreeMap<>();
            taken.forEach((ref, units) -> leaving.put(ref, -units));
            return BucketTable.allot(transaction, leaving)
                    .invoke(count -> BucketTable.mustBeAll(count, leaving))
                    .chain(() -> journal(transaction, "TAKEN", reason, buckets, leaving));
        }

        Uni<Void> journal(
                Transaction transaction,
                String changed,
                String reason,
                SortedMap<BucketRef, LedgerBucket> before,
                SortedMap<BucketRef, Long> units) {
            List<Journal.Line> lines = new ArrayList<>();
            units.forEach((ref, change) -> {
                long allotted = before.get(ref).allotted();
                lines.add(new Journal.Line(
                        skuId, ref.bucketNo(), null, changed, "adjustment", why(reason), allotted, allotted + change));
            });
            return Journal.append(transaction, lines);
        }

        Uni<Void> journalRefusal(Transaction transaction, String reason) {
            return Journal.append(
                    transaction, new Journal.Line(skuId, null, null, "REFUSED", "adjustment", why(reason), null, null));
        }

        private String why(String reason) {
            return reason == null ? key.value() : key + ": " + reason;
        }
    }
}
