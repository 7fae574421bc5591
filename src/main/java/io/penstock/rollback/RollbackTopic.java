package io.penstock.rollback;

import io.penstock.ledger.RollbackOrder;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.platform.Envelope;
import io.penstock.platform.Unreadable;
import io.penstock.settlement.DeadLetters;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * 回滚 by {@code stock.rollback}: others may write there instead of calling HTTP. What cannot be read, or names an unknown SKU, is a dead letter. One of an ORDERED SKU goes
 * on to {@code stock.ordered}. What cannot be decided goes on to the compensation channel; what that does not take is tried again, for ever.
 */
@ApplicationScoped
public class RollbackTopic {

    private static final Logger LOG = Logger.getLogger(RollbackTopic.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    /** Rollbacks under way for one poll: enough to keep the ledger busy, few enough to leave it to sales. */
    private static final int AT_ONCE = 8;

    private final Rollbacks rollbacks;
    private final DeadLetters deadLetters;

    RollbackTopic(Rollbacks rollbacks, DeadLetters deadLetters) {
        this.rollbacks = rollbacks;
        this.deadLetters = deadLetters;
    }

    /** Offsets are committed once every rollback of the poll is certain to happen; their order does not matter. */
    @Incoming("rollback")
    Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
        return Multi.createFrom()
                .iterable(records)
                .onItem()
                .transformToUni(this::consume)
                .merge(AT_ONCE)
                .collect()
                .last();
    }

    private Uni<Void> consume(ConsumerRecord<byte[], byte[]> record) {
        RollbackOrder order;
        try {
            Envelope.requireKey(record.key());
            order = RollbackMessage.read(Envelope.read(record.value()), "topic");
        } catch (Unreadable e) {
            return deadLetters.bury(record, e.getMessage());
        }
        return Uni.createFrom()
                .deferred(() -> rollbacks.takeOn(order))
                .onFailure(DependencyUnavailable.class)
                .invoke(e -> LOG.warnf(
                        "rollback not decided, tried again sku=%s key=%s reason=%s",
                        order.skuId(), order.deductKey(), e.getMessage()))
                .onFailure(DependencyUnavailable.class)
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely()
                // Whatever else fails would end the channel for good.
                .onFailure()
                .recoverWithUni(e -> deadLetters.bury(record, e.getMessage()));
    }
}
