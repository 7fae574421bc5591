package io.penstock.rollback;

import io.penstock.ledger.Owed;
import io.penstock.ledger.RollbackOrder;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.platform.LogUnavailable;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;

/** Where a rollback goes that the ledger could not decide: {@code stock.compensation}. Its consumer writes it down once the ledger is back. */
@ApplicationScoped
class CompensationChannel {

    /** As long as a deduction waits for Kafka: a broker that fails over needs a second or two. */
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    /** Rollbacks that wait for Kafka; more are not taken. */
    private static final int MOST_WAITING = 10_000;

    private final MutinyEmitter<byte[]> emitter;

    CompensationChannel(
            @Channel("owed") @OnOverflow(value = OnOverflow.Strategy.BUFFER, bufferSize = MOST_WAITING)
                    MutinyEmitter<byte[]> emitter) {
        this.emitter = emitter;
    }

    /**
     * Ends when Kafka has it: then the rollback will be decided.
     *
     * @param undecided why the ledger could not; the cause of an order without a reason
     * @throws LogUnavailable (as the failure) if Kafka has not acknowledged in time: it may still arrive, which does no harm
     */
    Uni<Void> take(RollbackOrder order, DependencyUnavailable undecided) {
        String cause = order.reason() == null ? undecided.getMessage() : order.reason();
        var message = new CompensationMessage(
                Owed.rollback(new RollbackOrder(order.skuId(), order.deductKey(), order.by(), cause)));
        return Uni.createFrom()
                .deferred(() -> emitter.sendMessage(Message.of(message.toBytes())
                        .addMetadata(OutgoingKafkaRecordMetadata.<String>builder()
                                .withKey(order.deductKey().value())
                                .build())))
                .ifNoItem()
                .after(TIMEOUT)
                .fail()
                .onFailure()
                .transform(LogUnavailable::new);
    }
}
