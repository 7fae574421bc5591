package io.penstock.sku;

import io.penstock.gate.Claim;
import io.penstock.gate.Gate;
import io.penstock.gate.Inspection;
import io.penstock.gate.LoadedUnits;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.Snapshot;
import io.penstock.platform.CrashPoint;
import io.penstock.platform.Fence;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * 预热: loads a missing bucket into Redis from the ledger. Raise the epoch in the ledger, claim the bucket in Redis, pass the
 * fence, read the ledger at one instant, stage it in pages, put it in place. A load that another one overtook ends without harm, and a bucket that has its stock
 * key is never overwritten.
 *
 * <p>One load a bucket at a time on this instance: whoever else asks waits for its end.
 */
@ApplicationScoped
public class WarmUp {

    private static final Logger LOG = Logger.getLogger(WarmUp.class);

    /** What was accepted in an older epoch may take the claim away while it settles; behind the next fence there is no more of it, as a rule. */
    private static final int ROUNDS = 3;

    private final Gate gate;
    private final SkuLedger ledger;
    private final BucketStates states;
    private final Fence fence;
    private final WarmUpConfig config;
    private final Map<BucketId, Uni<Void>> underway = new ConcurrentHashMap<>();

    WarmUp(Gate gate, SkuLedger ledger, BucketStates states, Fence fence, WarmUpConfig config) {
        this.gate = gate;
        this.ledger = ledger;
        this.states = states;
        this.fence = fence;
        this.config = config;
    }

    /** Ends when every bucket of the layout is loaded, by this call or another. */
    public Uni<Void> loadMissing(Layout layout) {
        return Multi.createFrom()
                .iterable(layout.buckets())
                .onItem()
                .transformToUniAndMerge(bucket -> gate.inspect(bucket)
                        .chain(seen -> seen.loaded() ? Uni.createFrom().voidItem() : load(bucket)))
                .collect()
                .asList()
                .replaceWithVoid();
    }

    /** The bucket at one instant; loaded before, if it was missing. */
    Uni<Inspection> inspect(BucketId bucket) {
        Uni<Inspection> inspection = gate.inspect(bucket);
        return inspection.chain(seen ->
                seen.loaded() ? Uni.createFrom().item(seen) : load(bucket).chain(() -> inspection));
    }

    /** Ends when the bucket is loaded, by this call or another. */
    public Uni<Void> load(BucketId bucket) {
        return underway.computeIfAbsent(
                bucket,
                b -> loadOnce(b)
                        .onTermination()
                        .invoke(() -> underway.remove(b))
                        .memoize()
                        .indefinitely());
    }

    private Uni<Void> loadOnce(BucketId bucket) {
        return ledger.raiseEpoch(bucket.skuId(), bucket.bucketNo()).chain(epoch -> load(bucket, epoch, ROUNDS));
    }

    private Uni<Void> load(BucketId bucket, long epoch, int rounds) {
        return gate.begin(bucket, epoch).chain(claim -> switch (claim) {
            case REFUSED -> Uni.createFrom().voidItem();
            case TAKEN ->
                fence.pass(config.fence())
                        .invoke(CrashPoint.AFTER_CLAIM::pass)
                        .chain(() -> ledger.snapshot(
                                bucket.skuId(), bucket.bucketNo(), snapshot -> fill(new Load(bucket, epoch, snapshot))))
                        .invoke(filled ->
                                LOG.infof("bucket loaded bucket=%s epoch=%d result=%s", bucket, epoch, filled.claim()))
                        .chain(filled -> switch (filled.claim()) {
                            case TAKEN -> states.matchLoaded(bucket, filled.closed());
                            case REFUSED -> beginAgain(bucket, epoch, rounds - 1);
                        });
        });
    }

    /** A deduction that settled meanwhile took the claim away, since this load may have missed it; but another load may have overtaken this one. */
    private Uni<Void> beginAgain(BucketId bucket, long epoch, int rounds) {
        if (rounds == 0) {
            return Uni.createFrom().voidItem();
        }
        return units(bucket)
                .chain(units -> units.epoch() == epoch
                        ? load(bucket, epoch, rounds)
                        : Uni.createFrom().voidItem());
    }

    private Uni<Snapshot.Units> units(BucketId bucket) {
        return ledger.snapshot(bucket.skuId(), bucket.bucketNo(), Snapshot::units);
    }

    private record Filled(Claim claim, boolean closed) {}

    private record Load(BucketId bucket, long epoch, Snapshot snapshot) {}

    private record Staged(long deducted, long count) {
        Staged plus(Map<DeductKey, Quantity> page) {
            long units = page.values().stream().mapToLong(Quantity::value).sum();
            return new Staged(deducted + units, count + page.size());
        }
    }

    /** A loader that wakes up after another one has begun reads that one's epoch, and stops. */
    private Uni<Filled> fill(Load load) {
        return load.snapshot()
                .units()
                .chain(units -> (units.epoch() != load.epoch()
                                ? Uni.createFrom().item(Claim.REFUSED)
                                : stageFinished(load, null)
                                        .chain(() -> stageSold(load, null, new Staged(0, 0)))
                                        .invoke(CrashPoint.BEFORE_FINISH::pass)
                                        .chain(staged ->
                                                gate.finish(load.bucket(), load.epoch(), loaded(units, staged))))
                        .map(claim -> new Filled(claim, BucketStates.closed(units))));
    }

    private static LoadedUnits loaded(Snapshot.Units units, Staged staged) {
        return new LoadedUnits(
                units.allotted(), staged.deducted(), staged.count(), BucketStates.closed(units), units.transfers());
    }

    private Uni<Void> stageFinished(Load load, DeductKey after) {
        return load.snapshot()
                .finished(config.retryHorizon(), after, config.page())
                .chain(page -> {
                    if (page.isEmpty()) {
                        return Uni.createFrom().voidItem();
                    }
                    return gate.stageFinished(load.bucket(), load.epoch(), page)
                            .chain(() -> page.size() < config.page()
                                    ? Uni.createFrom().voidItem()
                                    : stageFinished(load, last(page)));
                });
    }

    private Uni<Staged> stageSold(Load load, DeductKey after, Staged before) {
        return load.snapshot().sold(after, config.page()).chain(page -> {
            if (page.isEmpty()) {
                return Uni.createFrom().item(before);
            }
            Staged now = before.plus(page);
            return gate.stage(load.bucket(), load.epoch(), page)
                    .chain(() -> page.size() < config.page()
                            ? Uni.createFrom().item(now)
                            : stageSold(load, last(List.copyOf(page.keySet())), now));
        });
    }

    private static DeductKey last(List<DeductKey> page) {
        return page.get(page.size() - 1);
    }
}
