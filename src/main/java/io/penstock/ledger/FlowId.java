package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import java.util.Comparator;

/** A flow's identity, in the order in which every transaction touches flows. */
record FlowId(SkuId skuId, DeductKey deductKey) implements Comparable<FlowId> {

    private static final Comparator<FlowId> ORDER =
            Comparator.comparing(FlowId::skuId).thenComparing(FlowId::deductKey);

    static FlowId of(AcceptedDeduction accepted) {
        return new FlowId(accepted.skuId(), accepted.deductKey());
    }

    static FlowId of(RollbackOrder order) {
        return new FlowId(order.skuId(), order.deductKey());
    }

    static FlowId of(CreditDone credit) {
        return new FlowId(credit.skuId(), credit.deductKey());
    }

    static FlowId of(Owed owed) {
        return new FlowId(owed.skuId(), owed.deductKey());
    }

    static FlowId of(Flow flow) {
        return new FlowId(flow.skuId(), flow.deductKey());
    }

    @Override
    public int compareTo(FlowId other) {
        return ORDER.compare(this, other);
    }
}
