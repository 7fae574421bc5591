package io.penstock.sku;

import io.penstock.gate.Gate;
import io.penstock.gate.GateUnavailable;
import io.penstock.gate.Inspection;
import io.penstock.gate.Moved;
import io.penstock.ledger.AdjustmentLedger;
import io.penstock.ledger.AdjustmentLedger.Adjustment;
import io.penstock.ledger.AdjustmentLedger.Part;
import io.penstock.ledger.AdjustmentLedger.State;
import io.penstock.ledger.Leases;
import io.penstock.ledger.TotalTooLarge;
import io.penstock.ledger.TransferState;
import io.penstock.ledger.UnknownSku;
import io.penstock.platform.CrashPoint;
import io.penstock.platform.LogUnavailable;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.platform.Schedules;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * 库存调整: units given to, or taken from, a SKU by a client's adjustment key. Giving goes ledger first, so that Redis never shows more than the
 * ledger has; taking goes Redis first, for the same reason. Each step is idempotent: repeating the key resumes what was left open.
 */
@ApplicationScoped
public class Adjustments {

    /** Buckets that are loaded again in the middle start their share again; more than this at once is not worth waiting for. */
    private static final int ROUNDS = 3;

    /** Older than the request that began it can still be at work. */
    private static final Duration LEFT_OPEN = Duration.ofSeconds(30);

    private static final int MOST_AT_ONCE = 100;
    private static final Logger LOG = Logger.getLogger(Adjustments.class);

    private final Layouts layouts;
    private final AdjustmentLedger ledger;
    private final Gate gate;
    private final WarmUp warmUp;
    private final Leases leases;

    Adjustments(Layouts layouts, AdjustmentLedger ledger, Gate gate, WarmUp warmUp, Leases leases) {
        this.leases = leases;
        this.layouts = layouts;
        this.ledger = ledger;
        this.gate = gate;
        this.warmUp = warmUp;
    }

    /** How an adjustment stands after a call; {@code UNDECIDED}: repeat the key. */
    public enum Outcome {
        ADJUSTED,
        ADJUSTED_BEFORE,
        UNDECIDED
    }

    /**
     * @param delta units, not 0; negative to take
     * @throws ProblemException (as the failure) {@code adjustment-key-reused}, {@code insufficient-stock} (everything is back), {@code unknown-sku}
     */
    public Uni<Outcome> adjust(SkuId skuId, DeductKey key, long delta, String reason) {
        return layouts.of(skuId)
                .chain(layout -> begin(layout, key, delta, reason)
                        .invoke(begun -> requireSame(begun, delta))
                        .chain(begun -> finish(layout, begun)
                                .map(ended -> outcome(ended, begun.repeated()))
                                .onFailure(e -> e instanceof GateUnavailable || e instanceof LogUnavailable)
                                .recoverWithItem(Outcome.UNDECIDED)));
    }

    /** What a crash or an outage left open is finished as if its client had repeated the key. */
    @Scheduled(
            every = "5s",
            delayed = "5s",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP,
            skipExecutionIf = Schedules.Off.class)
    Uni<Void> finishLeftOpen() {
        return leases.run(
                "adjustments",
                () -> ledger.leftOpen(LEFT_OPEN, MOST_AT_ONCE)
                        .onItem()
                        .transformToMulti(open -> Multi.createFrom().iterable(open))
                        .onItem()
                        .transformToUniAndConcatenate(open -> layouts.of(open.skuId())
                                .chain(layout -> finish(layout, open))
                                .invoke(ended -> LOG.infof(
                                        "adjustment left open sku=%s key=%s state=%s",
                                        ended.skuId(), ended.adjustmentKey(), ended.state()))
                                .onFailure()
                                .invoke(e -> LOG.warnf(
                                        "adjustment not finished, tried again soon sku=%s key=%s reason=%s",
                                        open.skuId(), open.adjustmentKey(), e.getMessage()))
                                .onFailure()
                                .recoverWithNull())
                        .collect()
                        .last()
                        .replaceWithVoid());
    }

    private Uni<Adjustment> begin(Layout layout, DeductKey key, long delta, String reason) {
        return inLedger(layout, key, delta, reason)
                .onFailure(TotalTooLarge.class)
                .transform(e -> ProblemException.invalid("delta", "must not take the SKU above " + TotalTooLarge.MOST))
                .onFailure(UnknownSku.class)
                .transform(e -> Layouts.unknown(layout.skuId()));
    }

    private Uni<Adjustment> inLedger(Layout layout, DeductKey key, long delta, String reason) {
        if (delta > 0) {
            return ledger.give(layout.skuId(), key, delta, reason);
        }
        return layout.strategy() == Strategy.REDIS
                ? ledger.beginTaking(layout.skuId(), key, delta, reason)
                : ledger.takeUngated(layout.skuId(), key, delta, reason);
    }

    private static void requireSame(Adjustment begun, long delta) {
        if (begun.delta() != delta) {
            throw ProblemException.of(
                    ProblemType.ADJUSTMENT_KEY_REUSED, "This key adjusted by " + begun.delta() + " before.");
        }
    }

    private Uni<Adjustment> finish(Layout layout, Adjustment begun) {
        if (begun.state() != State.OPEN) {
            return Uni.createFrom().item(begun);
        }
        return begun.delta() > 0 ? deposit(layout, begun) : takeUntilDecided(layout, begun, ROUNDS);
    }

    private static Outcome outcome(Adjustment ended, boolean repeated) {
        return switch (ended.state()) {
            case DONE -> repeated ? Outcome.ADJUSTED_BEFORE : Outcome.ADJUSTED;
            case OPEN -> Outcome.UNDECIDED;
            case REFUSED ->
                throw ProblemException.of(
                        ProblemType.INSUFFICIENT_STOCK, "Fewer units are left than were to be taken; none was.");
        };
    }

    /** Gives the gate what the ledger has moved to it, or what it withdrew in vain. */
    private Uni<Adjustment> deposit(Layout layout, Adjustment open) {
        List<Part> owed = open.parts().stream()
                .filter(part -> part.state() == TransferState.MOVED || part.state() == TransferState.BACK)
                .toList();
        return Multi.createFrom()
                .iterable(owed)
                .onItem()
                .transformToUniAndConcatenate(part -> deposit(layout, part))
                .collect()
                .asList()
                .chain(done -> ledger.partsDone(
                        open.skuId(),
                        new DeductKey(open.adjustmentKey()),
                        done.stream().flatMap(List::stream).toList()));
    }

    private Uni<List<String>> deposit(Layout layout, Part part) {
        BucketId bucket = layout.bucket(part.bucketNo());
        String id = part.state() == TransferState.BACK ? part.transferId() + "/back" : part.transferId();
        CrashPoint.BEFORE_DEPOSIT.pass();
        return warmUp.inspect(bucket)
                .chain(seen -> gate.deposit(bucket, id, part.units(), seen.epoch()))
                .invoke(CrashPoint.AFTER_DEPOSIT::pass)
                .map(moved -> moved instanceof Moved.Units ? List.of(part.transferId()) : List.of());
    }

    private Uni<Adjustment> takeUntilDecided(Layout layout, Adjustment open, int rounds) {
        return withdraw(layout, open)
                .chain(withdrawn -> ledger.take(open.skuId(), new DeductKey(open.adjustmentKey()), withdrawn))
                .chain(taken -> {
                    boolean startedAgain =
                            taken.parts().stream().anyMatch(part -> part.state() == TransferState.STARTED);
                    if (taken.state() != State.OPEN || (startedAgain && rounds == 1)) {
                        return Uni.createFrom().item(taken);
                    }
                    return startedAgain ? takeUntilDecided(layout, taken, rounds - 1) : deposit(layout, taken);
                });
    }

    /** Fullest buckets first, and those of an earlier try before all others, so that a repeated key takes the same units. */
    private Uni<List<Part>> withdraw(Layout layout, Adjustment open) {
        List<Part> begun = open.parts();
        return Uni.join()
                .all(layout.buckets().stream().map(warmUp::inspect).toList())
                .andFailFast()
                .chain(seen -> {
                    List<Share> shares = new ArrayList<>();
                    for (int i = 0; i < seen.size(); i++) {
                        shares.add(new Share(layout.buckets().get(i), seen.get(i)));
                    }
                    var begunNos = begun.stream().map(Part::bucketNo).collect(Collectors.toSet());
                    shares.sort(Comparator.comparing((Share share) ->
                                    !begunNos.contains(share.bucket().bucketNo()))
                            .thenComparing(share -> -share.seen().stock()));
                    return withdraw(open, shares, -open.delta(), new ArrayList<>());
                });
    }

    private record Share(BucketId bucket, Inspection seen) {}

    private Uni<List<Part>> withdraw(Adjustment open, List<Share> shares, long wanted, List<Part> withdrawn) {
        if (wanted == 0 || shares.isEmpty()) {
            return Uni.createFrom().item(withdrawn);
        }
        Share next = shares.get(0);
        List<Share> others = shares.subList(1, shares.size());
        boolean begun = open.parts().stream()
                .anyMatch(part -> part.bucketNo() == next.bucket().bucketNo());
        long wish = Math.min(wanted, next.seen().stock());
        if (wish <= 0 && !begun) {
            return withdraw(open, others, wanted, withdrawn);
        }
        return ledger.startPart(
                        open.skuId(),
                        new DeductKey(open.adjustmentKey()),
                        next.bucket().bucketNo(),
                        Math.max(wish, 1),
                        next.seen().epoch())
                .chain(part -> withdraw(next.bucket(), part)
                        .map(units -> new Part(part.transferId(), part.bucketNo(), units, part.epoch(), part.state())))
                .chain(part -> {
                    withdrawn.add(part);
                    return withdraw(open, others, wanted - part.units(), withdrawn);
                });
    }

    /**
     * In another epoch nothing is taken. A load brings bucket and ledger to one epoch again, whether or not the bucket is missing; the ledger then sees that the
     * part's is old, and starts it again.
     */
    private Uni<Long> withdraw(BucketId bucket, Part part) {
        return gate.withdraw(bucket, part.transferId(), part.units(), part.epoch())
                .invoke(CrashPoint.AFTER_WITHDRAWAL::pass)
                .chain(moved -> moved instanceof Moved.Units taken
                        ? Uni.createFrom().item(taken.units())
                        : warmUp.load(bucket).map(loaded -> 0L));
    }
}
