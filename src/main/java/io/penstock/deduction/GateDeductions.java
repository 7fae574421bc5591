package io.penstock.deduction;

import io.penstock.gate.DeductAnswer;
import io.penstock.gate.Gate;
import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.platform.CrashPoint;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.settlement.DeductMessage;
import io.penstock.sku.Layout;
import io.penstock.sku.Layouts;
import io.penstock.sku.WarmUp;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.penstock.stock.SaleState;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/**
 * A deduction through the gate: home first, then the walk. Home is always asked, since it knows the key if it was ever deducted: by its history, a
 * tombstone or a spill pointer.
 */
@ApplicationScoped
class GateDeductions {

    private final Gate gate;
    private final AcceptedLog log;
    private final WarmUp warmUp;
    private final Layouts layouts;
    private final FlowLedger flows;

    GateDeductions(Gate gate, AcceptedLog log, WarmUp warmUp, Layouts layouts, FlowLedger flows) {
        this.gate = gate;
        this.log = log;
        this.warmUp = warmUp;
        this.layouts = layouts;
        this.flows = flows;
    }

    Uni<Decision> deduct(Layout layout, DeductionRequest request) {
        return new Walk(layout, request, Routing.walk(layout.active(), request.routingKey())).from(0, 0, false);
    }

    /** One request on its way from bucket to bucket. */
    private final class Walk {

        private final Layout layout;
        private final DeductionRequest request;
        private final List<BucketId> buckets;

        Walk(Layout layout, DeductionRequest request, List<BucketId> buckets) {
            this.layout = layout;
            this.request = request;
            this.buckets = buckets;
        }

        private BucketId home() {
            return buckets.get(0);
        }

        /**
         * @param next the bucket to ask now
         * @param left units that the buckets before it have, together
         * @param closed whether one of them was closed
         */
        Uni<Decision> from(int next, long left, boolean closed) {
            if (next == buckets.size()) {
                return closed ? allRefusedAndSomeAreClosed() : refused(left);
            }
            BucketId bucket = buckets.get(next);
            return askLoaded(bucket).chain(answer -> switch (answer.code()) {
                case DEDUCTED, DEDUCTED_LAST, DUPLICATE -> accept(bucket, answer);
                case INSUFFICIENT -> from(next + 1, left + Math.max(0, answer.stock()), closed);
                case CLOSED -> from(next + 1, left, true);
                case SPILLED -> followSpill(answer, next, left, closed);
                case KEY_REUSED -> decided(Decision.of(DeductCode.KEY_REUSED));
                case FINISHED -> finished();
                case NOT_LOADED -> decided(Decision.of(DeductCode.NOT_LOADED));
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

        /** The bucket that took the key decides. If it has lost the key, the walk goes on. */
        private Uni<Decision> followSpill(DeductAnswer pointer, int next, long left, boolean closed) {
            BucketId holder = layout.bucket(pointer.spilledTo());
            return askLoaded(holder).chain(answer -> switch (answer.code()) {
                case DEDUCTED, DEDUCTED_LAST, DUPLICATE -> accept(holder, answer);
                case KEY_REUSED -> decided(Decision.of(DeductCode.KEY_REUSED));
                case FINISHED -> finished();
                case INSUFFICIENT, CLOSED -> from(next + 1, left, closed);
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

        private Uni<Decision> refused(long left) {
            return decided(Decision.insufficient(left == 0));
        }

        /** The sale is paused, or the layout was stale: then the new one is walked. */
        private Uni<Decision> allRefusedAndSomeAreClosed() {
            return layouts.refresh(layout.skuId()).chain(now -> {
                if (now.sale() == SaleState.PAUSED) {
                    return decided(Decision.of(DeductCode.CLOSED));
                }
                return now.active().equals(layout.active())
                        ? decided(Decision.of(DeductCode.NOT_LOADED))
                        : deduct(now, request);
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
