package io.penstock.sku;

import io.penstock.gate.Gate;
import io.penstock.gate.Recounted;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.Repair;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.SkuLedger.Allotment;
import io.penstock.ledger.Snapshot;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.platform.Fence;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * 回源校准: makes a loaded bucket in Redis agree with the ledger, entry by entry. Pass the fence, adopt each sold flow, look, and only then read the ledger's
 * allotment: book and stock follow from history and allotment, if nothing moved since the look. Rejected deductions keep their units until they are
 * restored, so the stock may be below 0 until then.
 *
 * <p>One calibration a bucket at a time on this instance: whoever else asks waits for its end.
 */
@ApplicationScoped
public class Calibration {

    private static final Logger LOG = Logger.getLogger(Calibration.class);

    /** A busy bucket moves between look and recount; this often it is looked at again, at once. */
    private static final int LOOKS = 50;

    private final Gate gate;
    private final SkuLedger ledger;
    private final FlowLedger flows;
    private final Fence fence;
    private final WarmUp warmUp;
    private final WarmUpConfig config;
    private final Map<BucketId, Uni<Void>> underway = new ConcurrentHashMap<>();

    /** When the last one that ended had begun, on the ledger's clock. */
    private final Map<BucketId, Instant> calibrated = new ConcurrentHashMap<>();

    Calibration(Gate gate, SkuLedger ledger, FlowLedger flows, Fence fence, WarmUp warmUp, WarmUpConfig config) {
        this.gate = gate;
        this.ledger = ledger;
        this.flows = flows;
        this.fence = fence;
        this.warmUp = warmUp;
        this.config = config;
    }

    /** Units of the bucket are on their way, or it is too busy: try again later. */
    static final class Moving extends DependencyUnavailable {

        private static final long serialVersionUID = 1L;

        Moving(BucketId bucket, String why) {
            super("Bucket " + bucket + " cannot be calibrated yet: " + why + ".", null);
        }
    }

    /**
     * Calibrates the bucket, unless this instance has begun to after {@code at} already. A rejection says that the gate was ahead of the ledger then: its units go back
     * after a calibration that began later, or they would be sold, and rejected, again.
     *
     * @param at on the ledger's clock
     * @return fails as {@link #calibrate}
     */
    public Uni<Void> after(Instant at, BucketId bucket) {
        return Uni.createFrom()
                .deferred(() -> hasBegunAfter(at, bucket) ? Uni.createFrom().voidItem() : calibrate(bucket))
                // The one that was under way had begun before; the next one has not.
                .chain(() -> hasBegunAfter(at, bucket) ? Uni.createFrom().voidItem() : calibrate(bucket));
    }

    private boolean hasBegunAfter(Instant at, BucketId bucket) {
        Instant began = calibrated.get(bucket);
        return began != null && began.isAfter(at);
    }

    /** A missing bucket is loaded instead. Fails as gate, ledger and fence fail, and while units of the bucket are on their way. */
    public Uni<Void> calibrate(BucketId bucket) {
        return Uni.createFrom()
                .deferred(() -> underway.computeIfAbsent(
                        bucket,
                        b -> calibrateOnce(b)
                                .onTermination()
                                .invoke(() -> underway.remove(b))
                                .memoize()
                                .indefinitely()));
    }

    private Uni<Void> calibrateOnce(BucketId bucket) {
        return settledAllotment(bucket)
                .chain(begun -> gate.inspect(bucket)
                        .chain(seen -> seen.loaded()
                                ? fence.pass(config.fence())
                                        .chain(() -> adoptSold(bucket))
                                        .chain(() -> recount(bucket, LOOKS))
                                : warmUp.load(bucket))
                        .invoke(() -> calibrated.put(bucket, begun.at())));
    }

    /** No unit may be on its way: it would be counted twice, or not at all. */
    private Uni<Allotment> settledAllotment(BucketId bucket) {
        return ledger.allotment(bucket.skuId(), bucket.bucketNo()).invoke(allotment -> {
            if (allotment.openTransfers() > 0) {
                throw new Moving(bucket, "a transfer is open");
            }
        });
    }

    private Uni<Void> adoptSold(BucketId bucket) {
        return ledger.snapshot(bucket.skuId(), bucket.bucketNo(), snapshot -> adoptPage(bucket, snapshot, null));
    }

    private Uni<Void> adoptPage(BucketId bucket, Snapshot snapshot, DeductKey after) {
        return snapshot.sold(after, config.page()).chain(page -> {
            List<DeductKey> keys = List.copyOf(page.keySet());
            return keys.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : adoptDiffering(bucket, page)
                            .chain(() -> keys.size() < config.page()
                                    ? Uni.createFrom().voidItem()
                                    : adoptPage(bucket, snapshot, keys.get(keys.size() - 1)));
        });
    }

    private Uni<Void> adoptDiffering(BucketId bucket, Map<DeductKey, Quantity> page) {
        return gate.held(bucket, page.keySet().stream().map(DeductKey::value).toList())
                .chain(held -> {
                    List<Repair> adopted = new ArrayList<>();
                    return Multi.createFrom()
                            .iterable(page.entrySet())
                            .filter(sold -> !sold.getValue()
                                    .toString()
                                    .equals(held.get(sold.getKey().value())))
                            .onItem()
                            .transformToUniAndConcatenate(sold -> gate.adopt(bucket, sold.getKey(), sold.getValue())
                                    .invoke(answer -> {
                                        switch (answer) {
                                            case RESTORED -> adopted.add(adopted(bucket, sold));
                                            case RESTORED_BEFORE, UNKNOWN, NOT_LOADED -> {}
                                        }
                                    }))
                            .collect()
                            .last()
                            .chain(() -> flows.note(adopted));
                });
    }

    private static Repair adopted(BucketId bucket, Map.Entry<DeductKey, Quantity> sold) {
        return new Repair(
                bucket.skuId(),
                bucket.bucketNo(),
                sold.getKey(),
                Repair.Kind.ADOPTED,
                "calibration",
                "the entry was lost or had another quantity",
                (long) sold.getValue().value());
    }

    private Uni<Void> recount(BucketId bucket, int looks) {
        return gate.inspect(bucket)
                .chain(seen ->
                        settledAllotment(bucket).chain(allotment -> gate.recount(bucket, seen, allotment.allotted())))
                .chain(recounted -> {
                    if (recounted instanceof Recounted.Corrected corrected) {
                        return corrected(bucket, corrected.stockChange());
                    }
                    return looks == 1
                            ? Uni.createFrom().failure(new Moving(bucket, "it is too busy"))
                            : recount(bucket, looks - 1);
                });
    }

    private Uni<Void> corrected(BucketId bucket, long stockChange) {
        LOG.infof("bucket calibrated bucket=%s stockChange=%d", bucket, stockChange);
        return stockChange == 0
                ? Uni.createFrom().voidItem()
                : flows.note(List.of(new Repair(
                        bucket.skuId(),
                        bucket.bucketNo(),
                        null,
                        Repair.Kind.RECOUNTED,
                        "calibration",
                        "the stock did not follow from history and allotment",
                        stockChange)));
    }
}
