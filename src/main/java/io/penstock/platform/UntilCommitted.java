package io.penstock.platform;

import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.kafka.IncomingKafkaRecord;
import io.smallrye.reactive.messaging.kafka.KafkaConnectorIncomingConfiguration;
import io.smallrye.reactive.messaging.kafka.KafkaConsumer;
import io.smallrye.reactive.messaging.kafka.commit.KafkaCommitHandler;
import io.vertx.mutiny.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jboss.logging.Logger;

/**
 * The commit strategy {@code until-committed}: after each poll, and again until Kafka has it, or something newer is processed, or the partition is another consumer's. The
 * connector's {@code latest} tries once: if a broker fails over then, and nothing more comes, a fence would wait for that partition for ever.
 */
final class UntilCommitted implements KafkaCommitHandler {

    private static final Logger LOG = Logger.getLogger(UntilCommitted.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    private final KafkaConsumer<?, ?> consumer;

    /** The next offset of each partition that is ours and of which something was processed. */
    private final Map<TopicPartition, Long> processed = new ConcurrentHashMap<>();

    private UntilCommitted(KafkaConsumer<?, ?> consumer) {
        this.consumer = consumer;
    }

    @ApplicationScoped
    @Identifier("until-committed")
    static class Factory implements KafkaCommitHandler.Factory {

        @Override
        public KafkaCommitHandler create(
                KafkaConnectorIncomingConfiguration config,
                Vertx vertx,
                KafkaConsumer<?, ?> consumer,
                BiConsumer<Throwable, Boolean> reportFailure) {
            return new UntilCommitted(consumer);
        }
    }

    /** The record is the last of its partition in a poll. Nobody waits for the commit: the next poll's includes it. */
    @Override
    public <K, V> Uni<Void> handle(IncomingKafkaRecord<K, V> record) {
        TopicPartition partition = new TopicPartition(record.getTopic(), record.getPartition());
        long next = record.getOffset() + 1;
        processed.put(partition, next);
        commit(partition, next);
        return Uni.createFrom().voidItem();
    }

    private void commit(TopicPartition partition, long next) {
        Uni.createFrom()
                .deferred(() -> consumer.commitAsync(Map.of(partition, new OffsetAndMetadata(next))))
                .onFailure(e -> mayBeRetried(e) && isLatest(partition, next))
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely()
                .subscribe()
                .with(nothing -> {}, e -> givenUp(partition, next, e));
    }

    private void givenUp(TopicPartition partition, long next, Throwable failure) {
        if (isLatest(partition, next)) {
            LOG.warnf("not committed partition=%s offset=%d reason=%s", partition, next, failure);
        }
    }

    /** During a rebalance as well: the partition may stay ours. */
    private static boolean mayBeRetried(Throwable failure) {
        return failure instanceof RetriableCommitFailedException || failure instanceof RebalanceInProgressException;
    }

    private boolean isLatest(TopicPartition partition, long next) {
        return processed.getOrDefault(partition, -1L) == next;
    }

    @Override
    public void partitionsRevoked(Collection<TopicPartition> partitions) {
        processed.keySet().removeAll(partitions);
    }
}
