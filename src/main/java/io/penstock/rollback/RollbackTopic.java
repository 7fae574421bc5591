package io.penstock.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.ledger.RollbackOrder;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.platform.Envelope;
import io.penstock.platform.Unreadable;
import io.penstock.settlement.DeadLetters;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * 回滚 by {@code stock.rollback}: others may write there instead of calling HTTP. What cannot be read, or names an unknown SKU, is a dead letter. What the ledger
 * cannot decide goes on to the compensation channel; what neither takes is tried again, for ever.
 */
@ApplicationScoped
public class RollbackTopic {

    private static final Logger LOG = Logger.getLogger(RollbackTopic.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);
    private static final int REASON = 255;

    /** Rollbacks under way for one poll: enough to keep the ledger busy, few enough to leave it to sales. */
    private static final int AT_ONCE = 8;

    private final Rollbacks rollbacks;
    private final DeadLetters deadLetters;

    RollbackTopic(Rollbacks rollbacks, DeadLetters deadLetters) {
        this.rollbacks = rollbacks;
        this.deadLetters = deadLetters;
    }

    /** Offsets are committed once every rollback of the poll is decided; their order does not matter. */
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
            order = read(record);
        } catch (Unreadable e) {
            return deadLetters.bury(record, e.getMessage());
        }
        return Uni.createFrom()
                .deferred(() -> rollbacks.rollBack(order))
                .onFailure(DependencyUnavailable.class)
                .invoke(e -> LOG.warnf(
                        "rollback not decided, tried again sku=%s key=%s reason=%s",
                        order.skuId(), order.deductKey(), e.getMessage()))
                .onFailure(DependencyUnavailable.class)
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely()
                .replaceWithVoid()
                // Whatever else fails would end the channel for good.
                .onFailure()
                .recoverWithUni(e -> deadLetters.bury(record, e.getMessage()));
    }

    private static RollbackOrder read(ConsumerRecord<byte[], byte[]> record) throws Unreadable {
        Envelope.requireKey(record.key());
        JsonNode message = Envelope.read(record.value());
        // A hint. Nothing is done with it, but what is wrong with it may be wrong with the rest.
        Envelope.optionalInteger(message, "bucketNo", BucketId::number);
        String reason = Envelope.optionalString(message, "reason", text -> text);
        return new RollbackOrder(
                Envelope.integer(message, "skuId", SkuId::new),
                Envelope.string(message, "deductKey", DeductKey::new),
                "topic",
                reason == null ? null : reason.substring(0, Math.min(REASON, reason.length())));
    }
}
