package io.penstock.ledger;

import io.penstock.ledger.FlowTable.FlowRow;
import io.penstock.ledger.Settled.Verdict;
import io.penstock.stock.Credit;
import io.penstock.stock.FlowStatus;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * 落库. Nearly always every deduction of a batch is new and every bucket has its units: the batch is written on that
 * assumption, and the counts say whether it was right. If not, nothing stays, and a second transaction looks at each.
 */
final class SettleTransaction {

    private final Transactions transactions;
    private final List<AcceptedDeduction> accepted;

    private SettleTransaction(Transactions transactions, List<AcceptedDeduction> accepted) {
        this.transactions = transactions;
        this.accepted = accepted;
    }

    static Uni<SettledBatch> settle(Transactions transactions, List<AcceptedDeduction> accepted) {
        if (accepted.isEmpty()) {
            return Uni.createFrom().item(new SettledBatch(List.of(), OutcomeLedger.NONE));
        }
        SettleTransaction settle = new SettleTransaction(transactions, accepted);
        return transactions
                .run(settle::assumingAllIsNew)
                .flatMap(settled -> settled.isPresent()
                        ? Uni.createFrom().item(settled.get())
                        : transactions.run(settle::oneByOne));
    }

    /** Empty if a key was known or a bucket refused. */
    private Uni<Ending<Optional<SettledBatch>>> assumingAllIsNew(Transaction transaction) {
        SortedMap<FlowId, AcceptedDeduction> firsts = firsts(accepted);
        SortedMap<BucketRef, Long> units = units(firsts.values());
        String flows = json(firsts);
        return Uni.combine()
                .all()
                .unis(
                        FlowTable.insertDeducted(transaction, flows, FlowTable.newBatchId()),
                        FlowTable.read(transaction, firsts.firstKey()),
                        Journal.appendDeducted(transaction, flows),
                        OutcomeLedger.owe(
                                transaction, sold(firsts, Instant.EPOCH).values()),
                        // Last, since a hot row is what others wait for.
                        BucketTable.take(transaction, units))
                .collectFailures()
                .asTuple()
                .map(done -> {
                    boolean allNew = done.getItem1() == firsts.size();
                    boolean allTook = done.getItem5() == units.size();
                    if (!allNew || !allTook) {
                        return Ending.undo(Optional.empty());
                    }
                    // One statement wrote them all: they share its time.
                    Instant at = done.getItem2().orElseThrow().flow().createdAt();
                    return Ending.keep(Optional.of(batch(firsts, sold(firsts, at), done.getItem4())));
                });
    }

    private Uni<Ending<SettledBatch>> oneByOne(Transaction transaction) {
        return BucketTable.existing(transaction, new TreeSet<>(units(accepted).keySet()))
                .flatMap(buckets -> {
                    SortedMap<FlowId, AcceptedDeduction> firsts = firsts(accepted.stream()
                            .filter(given -> buckets.containsKey(bucket(given)))
                            .toList());
                    return firsts.isEmpty()
                            ? Uni.createFrom().item(Ending.keep(batch(firsts, Map.of(), OutcomeLedger.NONE)))
                            : insertThenDecide(transaction, firsts);
                });
    }

    private Uni<Ending<SettledBatch>> insertThenDecide(
            Transaction transaction, SortedMap<FlowId, AcceptedDeduction> firsts) {
        long batchId = FlowTable.newBatchId();
        return FlowTable.insertDeducted(transaction, json(firsts), batchId)
                .flatMap(inserted -> FlowTable.read(transaction, FlowTable.json(firsts.keySet())))
                .flatMap(rows -> {
                    SortedMap<FlowId, AcceptedDeduction> mine = new TreeMap<>(firsts);
                    mine.keySet().removeIf(id -> rows.get(id).batchId() != batchId);
                    return mine.isEmpty()
                            ? Uni.createFrom().item(Ending.keep(batch(mine, flows(rows), OutcomeLedger.NONE)))
                            : BucketTable.lock(transaction, units(mine.values()).keySet())
                                    .flatMap(buckets -> decide(transaction, batchId, mine, rows, buckets));
                });
    }

    /** Sells the new flows in the order of the batch, as far as the locked rows go, and rejects the others. */
    private Uni<Ending<SettledBatch>> decide(
            Transaction transaction,
            long batchId,
            SortedMap<FlowId, AcceptedDeduction> mine,
            Map<FlowId, FlowRow> rows,
            SortedMap<BucketRef, LedgerBucket> buckets) {
        Map<BucketRef, Long> left = new HashMap<>();
        buckets.forEach((ref, bucket) -> left.put(ref, bucket.available()));
        SortedMap<BucketRef, Long> taken = new TreeMap<>();
        Map<FlowId, Flow> after = flows(rows);
        SortedMap<FlowId, Flow> rejected = new TreeMap<>();
        Set<FlowId> decided = new HashSet<>();
        for (AcceptedDeduction given : accepted) {
            FlowId id = FlowId.of(given);
            if (mine.get(id) != given || !decided.add(id)) {
                continue;
            }
            long qty = given.qty().value();
            if (left.get(bucket(given)) >= qty) {
                left.merge(bucket(given), -qty, Long::sum);
                taken.merge(bucket(given), qty, Long::sum);
            } else {
                Flow flow = rejected(after.get(id));
                rejected.put(id, flow);
                after.put(id, flow);
            }
        }
        List<Flow> written = mine.keySet().stream().map(after::get).toList();
        return reject(transaction, rejected, batchId)
                .flatMap(done -> Journal.append(
                        transaction,
                        written.stream().map(SettleTransaction::line).toList()))
                .flatMap(done -> taken.isEmpty() ? Uni.createFrom().item(0) : BucketTable.take(transaction, taken))
                .invoke(took -> BucketTable.mustBeAll(took, taken))
                .flatMap(took -> OutcomeLedger.owe(transaction, written))
                .map(outcomesId -> Ending.keep(batch(mine, after, outcomesId)));
    }

    private static Uni<Void> reject(Transaction transaction, SortedMap<FlowId, Flow> rejected, long batchId) {
        if (rejected.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return FlowTable.reject(transaction, FlowTable.json(rejected.keySet()), batchId)
                .invoke(count -> {
                    if (count != rejected.size()) {
                        throw new IllegalStateException(
                                count + " of " + rejected.size() + " new flows could be rejected");
                    }
                })
                .flatMap(done -> CreditDebts.owe(transaction, rejected.values()));
    }

    /**
     * Answers in the order of the batch.
     *
     * @param written the deductions that this transaction wrote a flow for
     * @param after all flows as they are now
     */
    private SettledBatch batch(Map<FlowId, AcceptedDeduction> written, Map<FlowId, Flow> after, long outcomesId) {
        List<Settled> settled = new ArrayList<>(accepted.size());
        Set<FlowId> answered = new HashSet<>();
        for (AcceptedDeduction given : accepted) {
            FlowId id = FlowId.of(given);
            Flow flow = after.get(id);
            // Two equal messages are equal records: only the first of them is the one that was written.
            boolean isNew = written.get(id) == given && answered.add(id);
            settled.add(isNew ? written(given, flow) : known(given, flow));
        }
        return new SettledBatch(settled, outcomesId);
    }

    private static Settled written(AcceptedDeduction given, Flow flow) {
        return new Settled(given, flow.status() == FlowStatus.REJECTED ? Verdict.REJECTED : Verdict.DEDUCTED, flow);
    }

    private static Settled known(AcceptedDeduction given, Flow flow) {
        if (flow == null) {
            return new Settled(given, Verdict.NO_SUCH_BUCKET, null);
        }
        if (flow.status() != FlowStatus.DEDUCTED) {
            return new Settled(given, Verdict.FINISHED, flow);
        }
        if (flow.bucketNo() != given.bucketNo()) {
            return new Settled(given, Verdict.SOLD_ELSEWHERE, flow);
        }
        return new Settled(given, flow.qty() == given.qty().value() ? Verdict.REDELIVERED : Verdict.OTHER_QTY, flow);
    }

    /** The first of each key decides. */
    private static SortedMap<FlowId, AcceptedDeduction> firsts(Collection<AcceptedDeduction> accepted) {
        SortedMap<FlowId, AcceptedDeduction> firsts = new TreeMap<>();
        accepted.forEach(given -> firsts.putIfAbsent(FlowId.of(given), given));
        return firsts;
    }

    private static SortedMap<BucketRef, Long> units(Collection<AcceptedDeduction> deductions) {
        SortedMap<BucketRef, Long> units = new TreeMap<>();
        deductions.forEach(
                given -> units.merge(bucket(given), (long) given.qty().value(), Long::sum));
        return units;
    }

    private static BucketRef bucket(AcceptedDeduction given) {
        return new BucketRef(given.skuId(), given.bucketNo());
    }

    private static String json(SortedMap<FlowId, AcceptedDeduction> firsts) {
        return Given.rows(firsts.entrySet(), entry -> {
            AcceptedDeduction given = entry.getValue();
            JsonObject row = Given.flow(entry.getKey())
                    .put("bucket", given.bucketNo())
                    .put("qty", given.qty().value());
            return given.traceId() == null ? row : row.put("trace", Given.text(given.traceId(), 128));
        });
    }

    private static SortedMap<FlowId, Flow> sold(SortedMap<FlowId, AcceptedDeduction> firsts, Instant at) {
        SortedMap<FlowId, Flow> sold = new TreeMap<>();
        firsts.forEach((id, given) -> sold.put(
                id,
                new Flow(
                        given.skuId(),
                        given.deductKey(),
                        given.bucketNo(),
                        given.qty().value(),
                        FlowStatus.DEDUCTED,
                        Credit.NONE,
                        null,
                        at,
                        at)));
        return sold;
    }

    private static Flow rejected(Flow inserted) {
        return new Flow(
                inserted.skuId(),
                inserted.deductKey(),
                inserted.bucketNo(),
                inserted.qty(),
                FlowStatus.REJECTED,
                Credit.OWED,
                null,
                inserted.createdAt(),
                inserted.updatedAt());
    }

    private static Journal.Line line(Flow flow) {
        Object after = flow.status() == FlowStatus.DEDUCTED ? flow.qty() : 0;
        return new Journal.Line(
                flow.skuId(),
                flow.bucketNo(),
                flow.deductKey(),
                flow.status().name(),
                Journal.SETTLEMENT,
                flow.status() == FlowStatus.REJECTED ? "fewer units left than the gate gave away" : null,
                0,
                after);
    }

    private static Map<FlowId, Flow> flows(Map<FlowId, FlowRow> rows) {
        Map<FlowId, Flow> flows = new HashMap<>();
        rows.forEach((id, row) -> flows.put(id, row.flow()));
        return flows;
    }
}
