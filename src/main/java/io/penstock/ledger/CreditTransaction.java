package io.penstock.ledger;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** 回补 done: the flow, its debt and the journal say so together. */
final class CreditTransaction {

    private CreditTransaction() {}

    static Uni<Void> creditsDone(Transactions transactions, List<CreditDone> credits) {
        if (credits.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        SortedMap<FlowId, CreditDone> once = new TreeMap<>();
        credits.forEach(credit -> once.merge(FlowId.of(credit), credit, CreditTransaction::theOneThatFoundUnits));
        return transactions.run(transaction -> mark(transaction, once).replaceWith(Ending.keep(null)));
    }

    private static Uni<?> mark(Transaction transaction, SortedMap<FlowId, CreditDone> credits) {
        String flows = Given.rows(
                credits.values(),
                credit -> Given.flow(FlowId.of(credit))
                        .put("bucket", credit.foundBucketNo())
                        .put("qty", credit.foundQty()));
        long batchId = FlowTable.newBatchId();
        return Uni.combine()
                .all()
                .unis(
                        FlowTable.creditDone(transaction, flows, batchId),
                        CreditDebts.paid(transaction, flows),
                        Journal.appendCreditsDone(transaction, flows, batchId))
                .collectFailures()
                .asTuple();
    }

    private static CreditDone theOneThatFoundUnits(CreditDone one, CreditDone other) {
        return one.foundQty() != null ? one : other;
    }
}
