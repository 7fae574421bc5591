package io.penstock.settlement;

import io.penstock.ledger.Flow;
import io.penstock.ledger.Leases;
import io.penstock.ledger.Outcome;
import io.penstock.ledger.OutcomeLedger;
import io.penstock.ledger.OwedOutcomes;
import io.penstock.platform.Envelope;
import io.penstock.platform.Schedules;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;
import org.jboss.logging.Logger;

/**
 * Tells the order system what became of each deduction, on {@code stock.outcome}: at least once, and possibly late. The ledger remembers what is owed until Kafka has
 * it, so a crash or an outage delays an outcome and never loses one.
 */
@ApplicationScoped
public class Outcomes {

    private static final Logger LOG = Logger.getLogger(Outcomes.class);

    /** An outcome owed for so long was left by a crash or an outage; a younger one is probably being sent. */
    private static final Duration LEFT_BEHIND = Duration.ofSeconds(10);

    private static final int SWEEP = 50;

    /** Outcomes that wait for Kafka: the largest settlement batch fits; what does not stays owed. */
    private static final int MOST_WAITING = 10_000;

    private final MutinyEmitter<byte[]> emitter;
    private final OutcomeLedger ledger;
    private final Leases leases;

    Outcomes(
            @Channel("outcome") @OnOverflow(value = OnOverflow.Strategy.BUFFER, bufferSize = MOST_WAITING)
                    MutinyEmitter<byte[]> emitter,
            OutcomeLedger ledger,
            Leases leases) {
        this.emitter = emitter;
        this.ledger = ledger;
        this.leases = leases;
    }

    public static Outcome of(Flow flow) {
        return new Outcome(
                flow.skuId(), flow.deductKey(), flow.bucketNo(), flow.qty(), flow.status(), flow.updatedAt());
    }

    /**
     * Sends outcomes and, if {@code outcomesId} is not 0, clears the debt. Never fails: what Kafka does not take stays owed.
     */
    public Uni<Void> tell(long outcomesId, List<Outcome> outcomes) {
        if (outcomes.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return Uni.join()
                .all(outcomes.stream().map(this::send).toList())
                .andFailFast()
                .chain(() -> outcomesId == 0 ? Uni.createFrom().voidItem() : ledger.sent(outcomesId))
                .onFailure()
                .invoke(e -> LOG.warnf(
                        "outcomes not sent, still owed outcomes=%d id=%d reason=%s", outcomes.size(), outcomesId, e))
                .onFailure()
                .recoverWithNull();
    }

    /** The same, and nobody waits for it. */
    public void tellSoon(long outcomesId, List<Outcome> outcomes) {
        tell(outcomesId, outcomes).subscribe().with(nothing -> {});
    }

    @Scheduled(
            every = "5s",
            delayed = "5s",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP,
            skipExecutionIf = Schedules.Off.class)
    Uni<Void> sweep() {
        return leases.run(
                "outcomes",
                () -> ledger.owedFor(LEFT_BEHIND, SWEEP)
                        .onItem()
                        .transformToMulti(owed -> Multi.createFrom().iterable(owed))
                        .onItem()
                        .transformToUniAndConcatenate(this::tell)
                        .collect()
                        .last());
    }

    private Uni<Void> tell(OwedOutcomes owed) {
        return tell(owed.outcomesId(), owed.outcomes());
    }

    private Uni<Void> send(Outcome outcome) {
        byte[] value = Envelope.write(json -> {
            json.writeStringField("deductKey", outcome.deductKey().value());
            json.writeNumberField("skuId", outcome.skuId().value());
            json.writeObjectField("bucketNo", outcome.bucketNo());
            json.writeObjectField("qty", outcome.qty());
            json.writeStringField("status", outcome.status().name());
            json.writeNumberField("version", outcome.status().version());
            json.writeStringField("at", outcome.at().toString());
        });
        return emitter.sendMessage(Message.of(value)
                .addMetadata(OutgoingKafkaRecordMetadata.<String>builder()
                        .withKey(outcome.deductKey().value())
                        .build()));
    }
}
