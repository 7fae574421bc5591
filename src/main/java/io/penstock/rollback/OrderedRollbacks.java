package io.penstock.rollback;

import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.RollbackOrder;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.platform.LogUnavailable;
import io.penstock.stock.Credit;
import io.penstock.stock.FlowStatus;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;

/**
 * 回滚 of ORDERED SKUs, for whoever asks: into {@code stock.ordered}, behind every deduction of the key that was sent before. Its end is read in the ledger, so it does not matter which
 * instance consumes it.
 */
@ApplicationScoped
class OrderedRollbacks {

    /** A client waits: as long as for a deduction. */
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(3);

    private static final int MOST_WAITING = 10_000;

    private static final Duration FIRST_LOOK = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    private final MutinyEmitter<byte[]> emitter;
    private final FlowLedger ledger;
    private final RollbackConfig config;

    OrderedRollbacks(
            @Channel("ordered-rollback") @OnOverflow(value = OnOverflow.Strategy.BUFFER, bufferSize = MOST_WAITING)
                    MutinyEmitter<byte[]> emitter,
            FlowLedger ledger,
            RollbackConfig config) {
        this.emitter = emitter;
        this.ledger = ledger;
        this.config = config;
    }

    /**
     * Ends when Kafka has it.
     *
     * @throws LogUnavailable (as the failure) if Kafka has not acknowledged in time: it may still arrive
     */
    Uni<Void> send(RollbackOrder order) {
        return emitter.sendMessage(Message.of(RollbackMessage.toBytes(order))
                        .addMetadata(OutgoingKafkaRecordMetadata.<String>builder()
                                .withKey(order.deductKey().value())
                                .build()))
                .ifNoItem()
                .after(SEND_TIMEOUT)
                .fail()
                .onFailure()
                .transform(LogUnavailable::new);
    }

    /** The flow, if the ledger can say that it is finished. */
    Uni<Optional<Flow>> finished(RollbackOrder order) {
        return ledger.find(order.skuId(), order.deductKey())
                .map(found -> found.filter(flow -> flow.status() != FlowStatus.DEDUCTED))
                .onFailure(DependencyUnavailable.class)
                .recoverWithItem(Optional.empty());
    }

    /** The flow once it is finished and its credit given; empty if that takes too long. */
    Uni<Optional<Flow>> end(RollbackOrder order) {
        return lookUntilEnded(order, FIRST_LOOK)
                .ifNoItem()
                .after(config.orderedWait())
                .recoverWithItem(Optional.empty());
    }

    private Uni<Optional<Flow>> lookUntilEnded(RollbackOrder order, Duration pause) {
        Duration next = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : pause;
        return Uni.createFrom()
                .voidItem()
                .onItem()
                .delayIt()
                .by(pause)
                .chain(() -> finished(order))
                .map(found -> found.filter(flow -> flow.credit() != Credit.OWED))
                .chain(found -> found.isPresent() ? Uni.createFrom().item(found) : lookUntilEnded(order, next));
    }
}
