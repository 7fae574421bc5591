package io.penstock.campaign;

import io.penstock.platform.Topic;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Another system that asks for rollbacks of one SKU by the topic. */
final class RollbackMessages implements AutoCloseable {

    private final long sku;
    private final KafkaProducer<String, String> producer;

    RollbackMessages(String kafka, long sku) {
        this.sku = sku;
        this.producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka, ProducerConfig.ACKS_CONFIG, "all"),
                new StringSerializer(),
                new StringSerializer());
        // Known from now on, so that nobody waits for it while Kafka is away.
        producer.partitionsFor(Topic.Name.ROLLBACK);
    }

    /** Ends when Kafka has it. */
    CompletableFuture<Void> send(String key) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        String value = new JsonObject()
                .put("v", 1)
                .put("skuId", sku)
                .put("deductKey", key)
                .put("reason", "campaign")
                .encode();
        producer.send(new ProducerRecord<>(Topic.Name.ROLLBACK, key, value), (metadata, failure) -> {
            if (failure == null) {
                sent.complete(null);
            } else {
                sent.completeExceptionally(failure);
            }
        });
        return sent;
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
