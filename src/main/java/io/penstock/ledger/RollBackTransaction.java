package io.penstock.ledger;

import io.penstock.ledger.FlowTable.FlowRow;
import io.penstock.ledger.RolledBack.Verdict;
import io.penstock.stock.Credit;
import io.penstock.stock.FlowStatus;
import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** 回滚 in the ledger: what is unknown is inserted as CANCELLED first, then what is DEDUCTED is given back. */
final class RollBackTransaction {

    private final List<RollbackOrder> orders;
    private final Credit credit;
    /** The first order of each key decides. */
    private final SortedMap<FlowId, RollbackOrder> firsts = new TreeMap<>();

    private RollBackTransaction(List<RollbackOrder> orders, Credit credit) {
        this.orders = orders;
        this.credit = credit;
        orders.forEach(order -> firsts.putIfAbsent(FlowId.of(order), order));
    }

    static Uni<RolledBackBatch> rollBack(Transactions transactions, List<RollbackOrder> orders, boolean owesCredit) {
        if (orders.isEmpty()) {
            return Uni.createFrom().item(new RolledBackBatch(List.of(), OutcomeLedger.NONE));
        }
        RollBackTransaction rollBack = new RollBackTransaction(orders, owesCredit ? Credit.OWED : Credit.NONE);
        return transactions.run(rollBack::finishFlows);
    }

    private Uni<Ending<RolledBackBatch>> finishFlows(Transaction transaction) {
        long batchId = FlowTable.newBatchId();
        String flows = FlowTable.json(firsts.keySet());
        return Uni.combine()
                .all()
                .unis(
                        FlowTable.insertCancelled(transaction, flows, credit, batchId),
                        FlowTable.rollBack(transaction, flows, credit, batchId),
                        FlowTable.read(transaction, flows))
                .collectFailures()
                .asTuple()
                .flatMap(done -> giveBack(transaction, batchId, done.getItem3()));
    }

    private Uni<Ending<RolledBackBatch>> giveBack(Transaction transaction, long batchId, Map<FlowId, FlowRow> rows) {
        SortedMap<FlowId, Flow> finished = new TreeMap<>();
        SortedMap<BucketRef, Long> units = new TreeMap<>();
        for (FlowId id : firsts.keySet()) {
            FlowRow row = rows.get(id);
            if (row.batchId() == batchId) {
                Flow flow = row.flow();
                finished.put(id, flow);
                if (flow.status() == FlowStatus.ROLLED_BACK) {
                    units.merge(new BucketRef(flow.skuId(), flow.bucketNo()), (long) flow.qty(), Long::sum);
                }
            }
        }
        if (finished.isEmpty()) {
            return Uni.createFrom().item(Ending.keep(batch(rows, finished, OutcomeLedger.NONE)));
        }
        return Uni.combine()
                .all()
                .unis(
                        credit == Credit.OWED
                                ? CreditDebts.owe(transaction, finished.values())
                                : Uni.createFrom().voidItem(),
                        Journal.append(
                                transaction,
                                finished.values().stream().map(this::line).toList()),
                        OutcomeLedger.owe(transaction, finished.values()),
                        // Last, since a hot row is what others wait for.
                        units.isEmpty() ? Uni.createFrom().item(0) : BucketTable.putBack(transaction, units))
                .collectFailures()
                .asTuple()
                .map(done -> {
                    BucketTable.mustBeAll(done.getItem4(), units);
                    return Ending.keep(batch(rows, finished, done.getItem3()));
                });
    }

    private RolledBackBatch batch(Map<FlowId, FlowRow> rows, Map<FlowId, Flow> finished, long outcomesId) {
        List<RolledBack> rollbacks = new ArrayList<>(orders.size());
        Set<FlowId> answered = new HashSet<>();
        for (RollbackOrder order : orders) {
            FlowId id = FlowId.of(order);
            Flow flow = rows.get(id).flow();
            boolean now = finished.containsKey(id) && answered.add(id);
            rollbacks.add(new RolledBack(order, now ? verdict(flow.status()) : Verdict.FINISHED_BEFORE, flow));
        }
        return new RolledBackBatch(rollbacks, outcomesId);
    }

    private static Verdict verdict(FlowStatus written) {
        return switch (written) {
            case ROLLED_BACK -> Verdict.ROLLED_BACK;
            case CANCELLED -> Verdict.CANCELLED;
            case DEDUCTED, REJECTED -> throw new IllegalStateException("a rollback cannot write " + written);
        };
    }

    private Journal.Line line(Flow flow) {
        RollbackOrder order = firsts.get(FlowId.of(flow));
        Object before = flow.status() == FlowStatus.ROLLED_BACK ? flow.qty() : 0;
        return new Journal.Line(
                flow.skuId(),
                flow.bucketNo(),
                flow.deductKey(),
                flow.status().name(),
                order.by(),
                order.reason(),
                before,
                0);
    }
}
