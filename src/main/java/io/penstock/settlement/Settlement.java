package io.penstock.settlement;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.ledger.AcceptedDeduction;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.Outcome;
import io.penstock.ledger.Settled;
import io.penstock.ledger.Settled.Verdict;
import io.penstock.ledger.SettledBatch;
import io.penstock.platform.CrashPoint;
import io.penstock.platform.Topic;
import io.penstock.platform.Unreadable;
import io.penstock.stock.FlowStatus;
import io.quarkus.runtime.Startup;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * 落库: writes what the gate accepted to the ledger, one transaction a batch, one batch at a time. Offsets are committed after each poll's batches.
 *
 * <p>While the ledger is away the same batch is tried again, for ever: an outage is no reason for a dead letter.
 */
@Startup // so that its metrics are there, at 0, from the start
@ApplicationScoped
public class Settlement {

    private static final Logger LOG = Logger.getLogger(Settlement.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    /** How long a batch waits for Kafka to take its outcomes. */
    private static final Duration OUTCOMES = Duration.ofSeconds(2);

    private final FlowLedger ledger;
    private final Outcomes outcomes;
    private final DeadLetters deadLetters;
    private final AfterSettlement afterSettlement;
    private final SettlementConfig config;
    private final Clock clock;
    private final DistributionSummary batchSize;
    private final Counter rejections;
    private final Counter outOfOrder;

    /** When the oldest deduction of each batch in hand was accepted: one for each topic at most. */
    private final Queue<Instant> inHand = new ConcurrentLinkedQueue<>();

    Settlement(
            FlowLedger ledger,
            Outcomes outcomes,
            DeadLetters deadLetters,
            AfterSettlement afterSettlement,
            SettlementConfig config,
            Clock clock,
            MeterRegistry metrics) {
        this.ledger = ledger;
        this.outcomes = outcomes;
        this.deadLetters = deadLetters;
        this.afterSettlement = afterSettlement;
        this.config = config;
        this.clock = clock;
        this.batchSize = DistributionSummary.builder("penstock.settlement.batch.size")
                .description("Deductions written by one ledger transaction")
                .register(metrics);
        this.rejections = Counter.builder("penstock.ledger.rejections")
                .description("Accepted deductions that the ledger had to reject: Redis had lost data")
                .register(metrics);
        this.outOfOrder = Counter.builder("penstock.out.of.order.rollbacks")
                .description("乱序补偿: deductions that reached the ledger after their rollback, and were refused")
                .register(metrics);
        Gauge.builder("penstock.settlement.lag.seconds", this, Settlement::lagSeconds)
                .description("Age of the oldest deduction being settled; 0 when there is none")
                .register(metrics);
    }

    /** Never fails: a failure would end the channel for good, on one instance after the other. */
    @Incoming("deduct")
    Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
        return Uni.createFrom()
                .deferred(() -> settle(records))
                .onFailure()
                .invoke(e -> LOG.errorf(e, "messages not settled, tried again messages=%d", records.count()))
                .onFailure()
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely();
    }

    private Uni<Void> settle(ConsumerRecords<byte[], byte[]> records) {
        List<Uni<Void>> unreadable = new ArrayList<>();
        List<DeductMessage.Part> parts = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            try {
                parts.addAll(DeductMessage.read(record.value()).parts());
            } catch (Unreadable e) {
                unreadable.add(deadLetters.bury(record, e.getMessage()));
            }
        }
        return Multi.createFrom()
                .iterable(unreadable)
                .onItem()
                .transformToUniAndConcatenate(uni -> uni)
                .collect()
                .last()
                .chain(() -> settle(Topic.DEDUCT, parts));
    }

    /**
     * Ends once the ledger has all of it and what it leaves is written down, however long that takes. A key that comes twice is decided by the first.
     *
     * @param from where it came from
     * @return fails only by a mistake of ours; giving the same again is harmless
     */
    public Uni<Void> settle(Topic from, List<DeductMessage.Part> parts) {
        Instant oldest = parts.stream()
                .map(DeductMessage.Part::deductedAt)
                .min(Instant::compareTo)
                .orElse(null);
        if (oldest == null) {
            return Uni.createFrom().voidItem();
        }
        return Uni.createFrom()
                .deferred(() -> {
                    inHand.add(oldest);
                    return Multi.createFrom()
                            .iterable(batches(parts, config.batch()))
                            .onItem()
                            .transformToUniAndConcatenate(batch -> settleBatch(from, batch))
                            .collect()
                            .last();
                })
                .invoke(CrashPoint.BEFORE_OFFSET_COMMIT::pass)
                .onTermination()
                .invoke(() -> inHand.remove(oldest));
    }

    /** Whole parts where they fit, so that a bucket's row is touched once a transaction; a larger part is cut. */
    static List<List<DeductMessage.Part>> batches(List<DeductMessage.Part> parts, int most) {
        List<List<DeductMessage.Part>> batches = new ArrayList<>();
        List<DeductMessage.Part> batch = new ArrayList<>();
        int size = 0;
        for (DeductMessage.Part whole : parts) {
            for (DeductMessage.Part part : whole.cut(most)) {
                if (size + part.deductions().size() > most) {
                    batches.add(batch);
                    batch = new ArrayList<>();
                    size = 0;
                }
                batch.add(part);
                size += part.deductions().size();
            }
        }
        if (size > 0) {
            batches.add(batch);
        }
        return batches;
    }

    private Uni<Void> settleBatch(Topic from, List<DeductMessage.Part> parts) {
        List<AcceptedDeduction> accepted = parts.stream()
                .flatMap(part -> part.deductions().stream()
                        .map(deduction -> new AcceptedDeduction(
                                part.skuId(),
                                part.bucketNo(),
                                deduction.deductKey(),
                                deduction.qty(),
                                deduction.traceId())))
                .toList();
        return Uni.createFrom()
                .deferred(() -> ledger.settle(accepted))
                .onFailure()
                .invoke(e -> LOG.warnf("batch not settled, tried again deductions=%d reason=%s", accepted.size(), e))
                .onFailure()
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely()
                .invoke(CrashPoint.AFTER_LEDGER_COMMIT::pass)
                .invoke(this::count)
                .call(this::tell)
                .chain(batch -> afterSettlement.follow(from, parts, batch));
    }

    /** What Kafka has not taken by then is left to the sweeper, which has all the time it needs. */
    private Uni<Void> tell(SettledBatch batch) {
        return outcomes.tell(batch.outcomesId(), told(batch))
                .ifNoItem()
                .after(OUTCOMES)
                .recoverWithUni(() -> {
                    LOG.warnf("outcomes not taken in time, still owed id=%d", batch.outcomesId());
                    return Uni.createFrom().voidItem();
                });
    }

    private void count(SettledBatch batch) {
        batchSize.record(batch.deductions().size());
        outOfOrder.increment(batch.deductions().stream()
                .filter(settled ->
                        settled.verdict() == Verdict.FINISHED && settled.flow().status() == FlowStatus.CANCELLED)
                .count());
        long rejected = batch.deductions().stream()
                .filter(settled -> settled.verdict() == Verdict.REJECTED)
                .count();
        if (rejected > 0) {
            rejections.increment(rejected);
            LOG.errorf(
                    "ledger rejected what the gate had accepted rejected=%d of=%d",
                    rejected, batch.deductions().size());
        }
    }

    /** New flows once, known ones again: their consumer ignores a version it has seen. */
    private static List<Outcome> told(SettledBatch batch) {
        return batch.deductions().stream()
                .filter(settled -> settled.flow() != null)
                .map(Settled::flow)
                .map(Outcomes::of)
                .toList();
    }

    private double lagSeconds() {
        return inHand.stream()
                .min(Instant::compareTo)
                .map(oldest ->
                        Math.max(0, Duration.between(oldest, clock.instant()).toMillis() / 1000.0))
                .orElse(0.0);
    }
}
