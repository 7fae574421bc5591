package io.penstock.campaign;

import io.penstock.platform.Topic;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The order system: reads what became of each deduction of one SKU, and keeps the highest version. */
final class OutcomeMessages implements AutoCloseable {

    private record Told(int version, String status) {}

    private final long sku;
    private final KafkaConsumer<String, String> consumer;
    private final List<TopicPartition> partitions;
    private final Map<String, Told> told = new HashMap<>();

    OutcomeMessages(String kafka, long sku) {
        this.sku = sku;
        this.consumer = new KafkaConsumer<>(
                Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka),
                new StringDeserializer(),
                new StringDeserializer());
        this.partitions = consumer.partitionsFor(Topic.Name.OUTCOME).stream()
                .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        partitions.forEach(consumer::position);
    }

    /** The last status it was told of each key since it began to listen; reads what came meanwhile. */
    Map<String, String> told() {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            consumer.poll(Duration.ofMillis(100)).forEach(message -> hear(new JsonObject(message.value())));
        }
        Map<String, String> statuses = new HashMap<>();
        told.forEach((key, last) -> statuses.put(key, last.status()));
        return statuses;
    }

    private void hear(JsonObject event) {
        if (event.getLong("skuId") == sku) {
            Told heard = new Told(event.getInteger("version"), event.getString("status"));
            told.merge(event.getString("deductKey"), heard, (old, now) -> now.version() > old.version() ? now : old);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
