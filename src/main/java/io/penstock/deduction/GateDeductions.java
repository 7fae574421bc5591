package io.penstock.deduction;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.penstock.gate.DeductAnswer;
import io.penstock.gate.Gate;
import io.penstock.gate.HeldEntry;
import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.platform.CrashPoint;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.settlement.DeductMessage;
import io.penstock.sku.Layout;
import io.penstock.sku.Layouts;
import io.penstock.sku.Merges;
import io.penstock.sku.StillMoving;
import io.penstock.sku.Transfers;
import io.penstock.sku.WarmUp;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A deduction through the gate: home first, then the walk. Home is always asked, since it knows the key if it was ever deducted: by its history, a tombstone or a spill pointer; and so is the home that
 * the key had when other buckets sold, as long as it may be retried. What no single bucket has and all together have is gathered.
 */
@ApplicationScoped
class GateDeductions {

    /** Walks behind gathers and transfers: a client waits. Then its key decides later. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** How long an unequal sum that the ledger explains by nothing is taken for what it is. */
    private static final Duration BELIEVED = Duration.ofMillis(200);

    private final Gate gate;
    private final AcceptedLog log;
    private final WarmUp warmUp;
    private final Layouts layouts;
    private final FlowLedger flows;
    private final Transfers transfers;
    private final Merges merges;
    private final EmptyBuckets empty;

    /** Allotments of the ACTIVE buckets in Redis that are not the ledger's, and that no transfer explains. */
    private final Cache<SkuId, Long> unexplained =
            Caffeine.newBuilder().maximumSize(10_000).expireAfterWrite(BELIEVED).build();

    GateDeductions(
            Gate gate,
            AcceptedLog log,
            WarmUp warmUp,
            Layouts layouts,
            FlowLedger flows,
            Transfers transfers,
            Merges merges,
            EmptyBuckets empty) {
        this.gate = gate;
        this.log = log;
        this.warmUp = warmUp;
        this.layouts = layouts;
        this.flows = flows;
        this.transfers = transfers;
        this.merges = merges;
        this.empty = empty;
    }

    Uni<Decision> deduct(Layout layout, DeductionRequest request) {
        return new Walk(layout, request, System.nanoTime() + PATIENCE.toNanos(), false).askFormerHomes(0);
    }

    /**
     * What the buckets that refused have.
     *
     * @param left units, together
     * @param allotments units they have been given, together
     * @param closed whether one of them was closed
     */
    private record Refusals(long left, long allotments, boolean closed) {

        static final Refusals NONE = new Refusals(0, 0, false);

        Refusals and(long stock, long allotment) {
            return new Refusals(left + Math.max(0, stock), allotments + allotment, closed);
        }

        Refusals andClosed() {
            return new Refusals(left, allotments, true);
        }
    }

    /** One request on its way from bucket to bucket. */
    private final class Walk {

        private final Layout layout;
        private final DeductionRequest request;
        private final long deadline;
        private final boolean everyBucket;
        private final List<BucketId> buckets;
        private final List<BucketId> formerHomes;

        /** @param everyBucket asks those too that were seen empty a moment ago */
        Walk(Layout layout, DeductionRequest request, long deadline, boolean everyBucket) {
            this.layout = layout;
            this.request = request;
            this.deadline = deadline;
            this.everyBucket = everyBucket;
            this.buckets = Routing.walk(layout.active(), request.routingKey());
            this.formerHomes = layout.former().stream()
                    .map(active -> Routing.walk(active, request.routingKey()).get(0))
                    .filter(former -> !former.equals(home()))
                    .distinct()
                    .toList();
        }

        private BucketId home() {
            return buckets.get(0);
        }

        /** They only look: a new key is for the buckets that sell now. */
        Uni<Decision> askFormerHomes(int next) {
            if (next == formerHomes.size()) {
                return from(0, Refusals.NONE);
            }
            BucketId former = formerHomes.get(next);
            return lookLoaded(former).chain(held -> {
                if (held.qty().isEmpty() && !held.finished() && held.spilledTo().isEmpty()) {
                    return askFormerHomes(next + 1);
                }
                return ask(former).chain(answer -> switch (answer.code()) {
                    case DEDUCTED, DEDUCTED_LAST, DUPLICATE -> accept(former, answer);
                    case KEY_REUSED -> decided(Decision.of(DeductCode.KEY_REUSED));
                    case FINISHED -> finished();
                    case SPILLED -> followSpill(answer, () -> askFormerHomes(next + 1));
                    // It was rolled back, and the tombstone trimmed, between the two calls; or the bucket was lost.
                    case INSUFFICIENT, CLOSED, NOT_LOADED -> askFormerHomes(next + 1);
                });
            });
        }

        /** @param next the bucket to ask now */
        private Uni<Decision> from(int next, Refusals before) {
            if (next == buckets.size()) {
                return before.closed() ? allRefusedAndSomeAreClosed() : allRefused(before);
            }
            BucketId bucket = buckets.get(next);
            Long seenEmpty = next == 0 || everyBucket ? null : empty.allotment(bucket);
            if (seenEmpty != null) {
                return from(next + 1, before.and(0, seenEmpty));
            }
            return askLoaded(bucket).chain(answer -> {
                empty.saw(bucket, answer);
                return switch (answer.code()) {
                    case DEDUCTED, DEDUCTED_LAST, DUPLICATE -> accept(bucket, answer);
                    case INSUFFICIENT -> from(next + 1, before.and(answer.stock(), answer.allotment()));
                    case CLOSED ->
                        layout.sale() == SaleState.PAUSED
                                ? decided(Decision.of(DeductCode.CLOSED))
                                : from(next + 1, before.andClosed());
                    case SPILLED -> followSpill(answer, () -> from(next + 1, before.and(0, answer.allotment())));
                    case KEY_REUSED -> decided(Decision.of(DeductCode.KEY_REUSED));
                    case FINISHED -> finished();
                    case NOT_LOADED -> decided(Decision.of(DeductCode.NOT_LOADED));
                };
            });
        }

        /** A missing bucket is loaded and asked again, once. */
        private Uni<DeductAnswer> askLoaded(BucketId bucket) {
            return ask(bucket)
                    .chain(answer -> answer.code() == DeductCode.NOT_LOADED
                            ? warmUp.load(bucket).chain(() -> ask(bucket))
                            : Uni.createFrom().item(answer));
        }

        private Uni<DeductAnswer> ask(BucketId bucket) {
            return gate.deduct(bucket, request.deductKey(), request.qty());
        }

        private Uni<HeldEntry> lookLoaded(BucketId bucket) {
            Uni<HeldEntry> look = gate.find(bucket, request.deductKey());
            return look.chain(held -> held.loaded()
                    ? Uni.createFrom().item(held)
                    : warmUp.load(bucket).chain(() -> look));
        }

        /** The bucket that took the key decides. If it has lost the key, the walk goes on. */
        private Uni<Decision> followSpill(DeductAnswer pointer, Supplier<Uni<Decision>> walkOn) {
            BucketId holder = layout.bucket(pointer.spilledTo());
            return askLoaded(holder).chain(answer -> switch (answer.code()) {
                case DEDUCTED, DEDUCTED_LAST, DUPLICATE -> accept(holder, answer);
                case KEY_REUSED -> decided(Decision.of(DeductCode.KEY_REUSED));
                case FINISHED -> finished();
                case INSUFFICIENT, CLOSED -> walkOn.get();
                // A pointer that leads to another one: an entry was lost, and the ledger's word on it is on its way.
                case NOT_LOADED, SPILLED -> decided(Decision.of(DeductCode.NOT_LOADED));
            });
        }

        /** Away from home the pointer is written before Kafka is asked: no pointer, no acceptance. */
        private Uni<Decision> accept(BucketId bucket, DeductAnswer answer) {
            CrashPoint.AFTER_SCRIPT.pass();
            Uni<Void> pointer = bucket.equals(home())
                    ? Uni.createFrom().voidItem()
                    : gate.spill(home(), request.deductKey(), bucket.bucketNo()).invoke(CrashPoint.AFTER_SPILL::pass);
            return pointer.chain(() -> log.append(
                            layout.ordering(),
                            bucket,
                            answer.epoch(),
                            new DeductMessage.Deduction(request.deductKey(), request.qty(), request.traceId())))
                    .replaceWith(() -> Decision.accepted(answer.code(), bucket.bucketNo()));
        }

        /** Units that are on their way between buckets were in none of them: their sum is what the ledger has given them only while nothing moves. */
        private Uni<Decision> allRefused(Refusals refusals) {
            if (layout.buckets().size() == 1) {
                return refused(refusals);
            }
            boolean nothingMoves = refusals.allotments() == layout.allotted()
                    || Objects.equals(unexplained.getIfPresent(layout.skuId()), refusals.allotments());
            if (!nothingMoves) {
                return inTime(transfers.finishOpen(layout.skuId()))
                        .chain(() -> layouts.refresh(layout.skuId()))
                        .chain(now -> again(now, refusals.allotments()));
            }
            return refusals.left() >= request.qty().value()
                    ? inTime(merges.gather(layout, request.qty())).chain(() -> again(layout, refusals.allotments()))
                    : refused(refusals);
        }

        /** What it waited for goes on, or is finished by whoever comes next. */
        private Uni<Void> inTime(Uni<Void> moving) {
            Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
            return moving.ifNoItem().after(left).failWith(StillMoving::new);
        }

        private Uni<Decision> again(Layout now, long allotments) {
            if (System.nanoTime() > deadline) {
                return Uni.createFrom().failure(new StillMoving());
            }
            if (allotments != now.allotted()) {
                unexplained.put(layout.skuId(), allotments);
            }
            return new Walk(now, request, deadline, true).askFormerHomes(0);
        }

        private Uni<Decision> refused(Refusals refusals) {
            return decided(Decision.insufficient(refusals.left() == 0));
        }

        /** The sale is paused, or the layout was stale: then the new one is walked. */
        private Uni<Decision> allRefusedAndSomeAreClosed() {
            return layouts.refresh(layout.skuId()).chain(now -> {
                if (now.sale() == SaleState.PAUSED) {
                    return decided(Decision.of(DeductCode.CLOSED));
                }
                return now.active().equals(layout.active())
                        ? decided(Decision.of(DeductCode.NOT_LOADED))
                        : new Walk(now, request, deadline, everyBucket).askFormerHomes(0);
            });
        }

        /** The ledger may know how it ended; if it cannot say, the tombstone's word is enough. */
        private Uni<Decision> finished() {
            return flows.find(request.skuId(), request.deductKey())
                    .map(flow -> flow.map(Flow::status).orElse(null))
                    .onFailure(DependencyUnavailable.class)
                    .recoverWithNull()
                    .map(Decision::finished);
        }

        private static Uni<Decision> decided(Decision decision) {
            return Uni.createFrom().item(decision);
        }
    }
}
