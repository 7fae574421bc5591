package io.penstock.deduction;

import io.penstock.gate.Gate;
import io.penstock.gate.HeldEntry;
import io.penstock.ledger.FlowLedger;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.sku.Layout;
import io.penstock.sku.Layouts;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Shows one deduction from the moment it was accepted: the ledger's flow, or, before it is settled, the gate's entry. */
@ApplicationScoped
public class DeductionViews {

    private static final int AT_ONCE = 8;

    private final Layouts layouts;
    private final FlowLedger ledger;
    private final Gate gate;

    DeductionViews(Layouts layouts, FlowLedger ledger, Gate gate) {
        this.layouts = layouts;
        this.ledger = ledger;
        this.gate = gate;
    }

    /** @throws ProblemException (as the failure) {@code unknown-sku}, {@code unknown-deduction} */
    public Uni<DeductionView> view(SkuId skuId, DeductKey deductKey) {
        return layouts.forRequest(skuId)
                .chain(layout -> inLedger(skuId, deductKey)
                        .onItem()
                        .ifNull()
                        .switchTo(() -> inGate(layout, deductKey))
                        // It may have been settled, or rolled back, between the two looks.
                        .onItem()
                        .ifNull()
                        .switchTo(() -> inLedger(skuId, deductKey))
                        .onItem()
                        .ifNull()
                        .failWith(() -> ProblemException.of(
                                ProblemType.UNKNOWN_DEDUCTION,
                                "There is no deduction " + deductKey + " of SKU " + skuId + ".")));
    }

    /** The same with what happened to it; nothing has before it is settled. */
    public Uni<DeductionView> viewWithJournal(SkuId skuId, DeductKey deductKey) {
        return view(skuId, deductKey)
                .chain(view -> ledger.journal(skuId, deductKey).map(view::withJournal));
    }

    private Uni<DeductionView> inLedger(SkuId skuId, DeductKey deductKey) {
        return ledger.find(skuId, deductKey)
                .map(found -> found.map(DeductionView::settled).orElse(null));
    }

    /** The user id that chose the home is not known here: every bucket is asked. */
    private Uni<DeductionView> inGate(Layout layout, DeductKey deductKey) {
        if (layout.strategy() != Strategy.REDIS) {
            return Uni.createFrom().nullItem();
        }
        return Uni.join()
                .all(layout.buckets().stream()
                        .map(bucket -> gate.find(bucket, deductKey))
                        .toList())
                .usingConcurrencyOf(AT_ONCE)
                .andFailFast()
                .map(entries -> held(layout.buckets(), entries, deductKey));
    }

    private static DeductionView held(List<BucketId> buckets, List<HeldEntry> entries, DeductKey deductKey) {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).qty().isPresent()) {
                return DeductionView.accepted(
                        buckets.get(i), deductKey, entries.get(i).qty().getAsInt());
            }
        }
        return null;
    }
}
