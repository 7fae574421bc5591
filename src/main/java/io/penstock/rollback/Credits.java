package io.penstock.rollback;

import io.penstock.gate.Entombed;
import io.penstock.gate.Gate;
import io.penstock.gate.RestoreAnswer;
import io.penstock.ledger.CreditDone;
import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.platform.CrashPoint;
import io.penstock.sku.Calibration;
import io.penstock.sku.Layout;
import io.penstock.sku.Layouts;
import io.penstock.sku.Merges;
import io.penstock.sku.WarmUp;
import io.penstock.stock.BucketId;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.Quantity;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jboss.logging.Logger;

/** 回补: gives Redis what the ledger owes it for one flow, then marks the credit DONE. Repeating it gives nothing twice. */
@ApplicationScoped
public class Credits {

    private static final Logger LOG = Logger.getLogger(Credits.class);

    private final Gate gate;
    private final FlowLedger ledger;
    private final Layouts layouts;
    private final WarmUp warmUp;
    private final Calibration calibration;
    private final Merges merges;

    Credits(Gate gate, FlowLedger ledger, Layouts layouts, WarmUp warmUp, Calibration calibration, Merges merges) {
        this.gate = gate;
        this.ledger = ledger;
        this.layouts = layouts;
        this.warmUp = warmUp;
        this.calibration = calibration;
        this.merges = merges;
    }

    /**
     * What a credit found in Redis.
     *
     * @param inRedisBefore the key was finished there before: a repeated rollback stopped by the tombstone
     * @param bucketNo the bucket that got units back, null if none did
     * @param qty the units, null as {@code bucketNo}
     */
    public record Given(boolean inRedisBefore, Integer bucketNo, Integer qty) {}

    /**
     * @param flow with credit OWED
     * @return fails as the gate and the ledger fail: then it is still owed
     */
    public Uni<Given> give(Flow flow) {
        CrashPoint.BEFORE_CREDIT.pass();
        return layouts.of(flow.skuId())
                .chain(layout -> (flow.status() == FlowStatus.CANCELLED ? entomb(layout, flow) : restore(layout, flow))
                        .invoke(CrashPoint.AFTER_CREDIT::pass)
                        .call(given -> done(flow, given))
                        .call(given -> moveOn(layout, flow, given)));
    }

    /** What came back to a retired bucket is sold elsewhere. What fails here is done by the next round of the merger, though the flow does not name it then. */
    private Uni<Void> moveOn(Layout layout, Flow flow, Given given) {
        if (given.bucketNo() == null || layout.sells(given.bucketNo())) {
            return Uni.createFrom().voidItem();
        }
        return merges.moveOn(layout, layout.bucket(given.bucketNo()))
                .chain(to -> ledger.movedTo(flow.skuId(), flow.deductKey(), to))
                .onFailure()
                .invoke(e -> LOG.warnf(
                        "units left in a retired bucket for now sku=%s key=%s bucket=%s reason=%s",
                        flow.skuId(), flow.deductKey(), given.bucketNo(), e.getMessage()))
                .onFailure()
                .recoverWithNull();
    }

    private Uni<Void> done(Flow flow, Given given) {
        boolean found = flow.status() == FlowStatus.CANCELLED;
        return ledger.creditsDone(List.of(new CreditDone(
                        flow.skuId(), flow.deductKey(), found ? given.bucketNo() : null, found ? given.qty() : null)))
                .invoke(() -> LOG.debugf(
                        "credit given sku=%s key=%s status=%s bucket=%s qty=%s",
                        flow.skuId(), flow.deductKey(), flow.status(), given.bucketNo(), given.qty()));
    }

    private Uni<Given> restore(Layout layout, Flow flow) {
        BucketId bucket = layout.bucket(flow.bucketNo());
        Quantity qty = new Quantity(flow.qty());
        return gateAgrees(bucket, flow)
                .chain(() -> restoreLoaded(bucket, flow))
                .chain(answer -> answer == RestoreAnswer.UNKNOWN
                        ? gate.repay(bucket, flow.deductKey(), qty)
                        : Uni.createFrom().item(answer))
                .map(answer -> switch (answer) {
                    case RESTORED -> new Given(false, flow.bucketNo(), flow.qty());
                    case RESTORED_BEFORE -> new Given(true, flow.bucketNo(), flow.qty());
                    case UNKNOWN, NOT_LOADED -> throw new StillOwed(bucket);
                });
    }

    /** A rejection says that the gate was ahead of the ledger: given back before it is calibrated, the units would be sold again. */
    private Uni<Void> gateAgrees(BucketId bucket, Flow flow) {
        return flow.status() == FlowStatus.REJECTED
                ? calibration.after(flow.updatedAt(), bucket)
                : Uni.createFrom().voidItem();
    }

    private Uni<RestoreAnswer> restoreLoaded(BucketId bucket, Flow flow) {
        Uni<RestoreAnswer> restore =
                gate.restore(bucket, List.of(flow.deductKey())).map(answers -> answers.get(0));
        return restore.chain(answer -> answer == RestoreAnswer.NOT_LOADED
                ? warmUp.load(bucket).chain(() -> restore)
                : Uni.createFrom().item(answer));
    }

    /** On every bucket: the deduction that may still arrive must be refused wherever it lands. */
    private Uni<Given> entomb(Layout layout, Flow flow) {
        return Multi.createFrom()
                .iterable(layout.buckets())
                .onItem()
                .transformToUniAndConcatenate(bucket -> entombLoaded(bucket, flow)
                        .map(entombed -> switch (entombed.answer()) {
                            case RESTORED ->
                                new Given(
                                        false,
                                        entombed.qty() > 0 ? bucket.bucketNo() : null,
                                        entombed.qty() > 0 ? entombed.qty() : null);
                            case RESTORED_BEFORE -> new Given(true, null, null);
                            case UNKNOWN, NOT_LOADED -> throw new StillOwed(bucket);
                        }))
                .collect()
                .asList()
                .map(Credits::together);
    }

    private static Given together(List<Given> everywhere) {
        return everywhere.stream()
                .filter(given -> given.bucketNo() != null)
                .findFirst()
                .orElse(new Given(everywhere.stream().allMatch(Given::inRedisBefore), null, null));
    }

    private Uni<Entombed> entombLoaded(BucketId bucket, Flow flow) {
        Uni<Entombed> entomb = gate.entomb(bucket, flow.deductKey());
        return entomb.chain(entombed -> entombed.answer() == RestoreAnswer.NOT_LOADED
                ? warmUp.load(bucket).chain(() -> entomb)
                : Uni.createFrom().item(entombed));
    }
}
