package io.penstock.settlement;

import io.penstock.gate.Gate;
import io.penstock.ledger.AcceptedDeduction;
import io.penstock.ledger.BucketRef;
import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Flow;
import io.penstock.ledger.Settled;
import io.penstock.ledger.SettledBatch;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.Stray;
import io.penstock.platform.Topic;
import io.penstock.sku.Layouts;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.Quantity;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * What a settled batch leaves to be put right. Strays become debts. A deduction that cannot be settled becomes a dead letter. An entry whose quantity is wrong, and
 * one that a load may have missed because its message is of an older epoch, is made what the ledger says.
 */
@ApplicationScoped
class AfterSettlement {

    private static final Logger LOG = Logger.getLogger(AfterSettlement.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    /** A batch does not wait for Redis: what cannot be adopted by then is a difference that reconciliation finds. */
    private static final int ADOPT_TRIES = 5;

    private final CompensationLedger debts;
    private final SkuLedger skus;
    private final DeadLetters deadLetters;
    private final Layouts layouts;
    private final Gate gate;

    AfterSettlement(CompensationLedger debts, SkuLedger skus, DeadLetters deadLetters, Layouts layouts, Gate gate) {
        this.debts = debts;
        this.skus = skus;
        this.deadLetters = deadLetters;
        this.layouts = layouts;
        this.gate = gate;
    }

    /**
     * Ends when debts and dead letters are written down, however long that takes: the offset is not committed before.
     *
     * @param from where the parts came from
     * @param parts as they were settled: their deductions, in order, are those of the batch
     */
    Uni<Void> follow(Topic from, List<DeductMessage.Part> parts, SettledBatch batch) {
        return oweStrays(batch).chain(() -> buryUnsettled(from, parts, batch)).chain(() -> adopt(parts, batch));
    }

    private Uni<Void> oweStrays(SettledBatch batch) {
        List<Stray> strays = batch.deductions().stream()
                .filter(AfterSettlement::leavesAStray)
                .map(Settled::accepted)
                .map(accepted -> new Stray(
                        accepted.skuId(),
                        accepted.deductKey(),
                        accepted.bucketNo(),
                        accepted.qty().value()))
                .toList();
        if (strays.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        LOG.debugf(
                "strays found strays=%d first=%s", strays.size(), strays.get(0).deductKey());
        return untilDone(Uni.createFrom().deferred(() -> debts.oweStrays(strays)));
    }

    /** The entry of a rejected deduction is none: it goes back with its credit, after a calibration. */
    private static boolean leavesAStray(Settled settled) {
        return switch (settled.verdict()) {
            case SOLD_ELSEWHERE -> true;
            case FINISHED -> !isOfRejected(settled.flow(), settled.accepted().bucketNo());
            case DEDUCTED, REJECTED, REDELIVERED, OTHER_QTY, NO_SUCH_BUCKET -> false;
        };
    }

    private static boolean isOfRejected(Flow flow, int bucketNo) {
        return flow.status() == FlowStatus.REJECTED && flow.bucketNo() == bucketNo;
    }

    private Uni<Void> buryUnsettled(Topic from, List<DeductMessage.Part> parts, SettledBatch batch) {
        return eachOf(parts, batch, (part, settled) -> switch (settled.verdict()) {
            case OTHER_QTY ->
                bury(
                        from,
                        part,
                        settled,
                        "sold before with qty " + settled.flow().qty());
            case NO_SUCH_BUCKET -> bury(from, part, settled, "the ledger has no such bucket");
            case DEDUCTED, REJECTED, REDELIVERED, SOLD_ELSEWHERE, FINISHED -> null;
        });
    }

    private Uni<Void> bury(Topic from, DeductMessage.Part part, Settled settled, String reason) {
        AcceptedDeduction accepted = settled.accepted();
        var deduction = new DeductMessage.Deduction(accepted.deductKey(), accepted.qty(), accepted.traceId());
        return deadLetters.bury(
                from,
                new DeductMessage(List.of(new DeductMessage.Part(
                        part.skuId(), part.bucketNo(), part.epoch(), part.deductedAt(), List.of(deduction)))),
                reason);
    }

    private Uni<Void> adopt(List<DeductMessage.Part> parts, SettledBatch batch) {
        Set<BucketRef> buckets = parts.stream()
                .map(part -> new BucketRef(part.skuId(), part.bucketNo()))
                .collect(Collectors.toSet());
        return untilDone(Uni.createFrom().deferred(() -> skus.epochs(buckets)))
                .chain(epochs -> eachOf(parts, batch, (part, settled) -> switch (settled.verdict()) {
                    case DEDUCTED, REDELIVERED -> isOlder(part, epochs) ? adopt(settled) : null;
                    case OTHER_QTY -> adopt(settled);
                    case REJECTED, SOLD_ELSEWHERE, FINISHED, NO_SUCH_BUCKET -> null;
                }));
    }

    private static boolean isOlder(DeductMessage.Part part, Map<BucketRef, Long> epochs) {
        return part.epoch() < epochs.getOrDefault(new BucketRef(part.skuId(), part.bucketNo()), 0L);
    }

    private Uni<Void> adopt(Settled settled) {
        return layouts.of(settled.flow().skuId())
                .chain(layout -> gate.adopt(
                        layout.bucket(settled.flow().bucketNo()),
                        settled.flow().deductKey(),
                        new Quantity(settled.flow().qty())))
                .onFailure()
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .atMost(ADOPT_TRIES)
                .invoke(answer -> LOG.infof(
                        "entry adopted sku=%s key=%s answer=%s",
                        settled.flow().skuId(), settled.flow().deductKey(), answer))
                .onFailure()
                .invoke(e -> LOG.errorf(
                        "entry not adopted, left to reconciliation sku=%s key=%s reason=%s",
                        settled.flow().skuId(), settled.flow().deductKey(), e.getMessage()))
                .onFailure()
                .recoverWithNull()
                .replaceWithVoid();
    }

    @FunctionalInterface
    private interface Step {
        /** Null if there is nothing to do. */
        Uni<Void> of(DeductMessage.Part part, Settled settled);
    }

    private static Uni<Void> eachOf(List<DeductMessage.Part> parts, SettledBatch batch, Step step) {
        List<Uni<Void>> steps = new ArrayList<>();
        Iterator<Settled> settled = batch.deductions().iterator();
        for (DeductMessage.Part part : parts) {
            for (int i = 0; i < part.deductions().size(); i++) {
                Uni<Void> due = step.of(part, settled.next());
                if (due != null) {
                    steps.add(due);
                }
            }
        }
        return Multi.createFrom()
                .iterable(steps)
                .onItem()
                .transformToUniAndConcatenate(due -> due)
                .collect()
                .last();
    }

    private static <T> Uni<T> untilDone(Uni<T> ledgerCall) {
        return ledgerCall
                .onFailure()
                .invoke(e -> LOG.warnf("not written down yet, tried again reason=%s", e.getMessage()))
                .onFailure()
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely();
    }
}
