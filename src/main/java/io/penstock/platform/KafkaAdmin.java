package io.penstock.platform;

import io.quarkus.runtime.StartupEvent;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.interceptor.Interceptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jboss.logging.Logger;

/** What Penstock asks the brokers: topics, offsets, replication. Every call is bounded and fails with {@link LogUnavailable}. */
@ApplicationScoped
public class KafkaAdmin {

    private static final Logger LOG = Logger.getLogger(KafkaAdmin.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration FIRST_DELAY = Duration.ofMillis(500);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);
    private static final int WANTED_REPLICAS = 3;
    private static final int LARGEST_DEAD_LETTER = 17 * 1024 * 1024;

    private final Admin admin;

    KafkaAdmin(@Identifier("default-kafka-broker") Map<String, Object> broker) {
        Map<String, Object> config = new HashMap<>(broker);
        config.keySet().retainAll(AdminClientConfig.configNames());
        config.put(AdminClientConfig.CLIENT_ID_CONFIG, "penstock-admin");
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
        this.admin = Admin.create(config);
    }

    /**
     * Before the channels start, so that no broker makes the topics with its own defaults. Blocks the start, on the main thread, for a few
     * seconds at most; without a broker the service starts all the same, readiness says what is missing, and the topics are made as soon as one is there.
     */
    void createMissingTopics(@Observes @Priority(Interceptor.Priority.LIBRARY_BEFORE) StartupEvent start)
            throws InterruptedException, ExecutionException {
        CompletableFuture<Void> created = createMissing()
                .onFailure()
                .invoke(e -> LOG.errorf("topics not checked, tried again reason=%s", e.getCause()))
                .onFailure()
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely()
                .subscribeAsCompletionStage();
        try {
            created.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.error("starting without topics: no broker answers");
        }
    }

    private Uni<Void> createMissing() {
        return Uni.combine()
                .all()
                .unis(
                        uni(() -> admin.describeCluster().nodes()),
                        uni(() -> admin.listTopics().names()))
                .asTuple()
                .chain(found -> {
                    short replicas =
                            (short) Math.min(WANTED_REPLICAS, found.getItem1().size());
                    List<NewTopic> missing = Arrays.stream(Topic.values())
                            .filter(topic -> !found.getItem2().contains(topic.topicName()))
                            .map(topic -> newTopic(topic, replicas))
                            .toList();
                    return uni(() -> admin.createTopics(missing).all())
                            // Another instance was quicker.
                            .onFailure(e -> e.getCause() instanceof TopicExistsException)
                            .recoverWithNull()
                            .invoke(() -> LOG.infof("topics ready created=%d replicas=%d", missing.size(), replicas));
                });
    }

    private static NewTopic newTopic(Topic topic, short replicas) {
        Map<String, String> settings = new HashMap<>();
        settings.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(minIsr(replicas)));
        if (topic == Topic.DEAD_LETTER) {
            // What a client compressed below a broker's limit is larger here.
            settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(LARGEST_DEAD_LETTER));
        }
        return new NewTopic(topic.topicName(), topic.partitions(), replicas).configs(settings);
    }

    private static int minIsr(int replicas) {
        return Math.max(1, replicas - 1);
    }

    /** The next offset of each partition of the topics, or the earliest where {@code spec} says so. */
    Uni<Map<TopicPartition, Long>> offsets(List<Topic> topics, OffsetSpec spec) {
        return partitions(topics)
                .chain(partitions ->
                        uni(() -> admin.listOffsets(partitions.stream().collect(Collectors.toMap(p -> p, p -> spec)))
                                .all()))
                .map(found -> found.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, entry -> entry.getValue().offset())));
    }

    /** What the group has committed; partitions without a commit are absent. */
    Uni<Map<TopicPartition, Long>> committed(String group) {
        return uni(() -> admin.listConsumerGroupOffsets(Map.of(group, new ListConsumerGroupOffsetsSpec()))
                        .partitionsToOffsetAndMetadata(group))
                .map(found -> {
                    Map<TopicPartition, Long> offsets = new HashMap<>();
                    found.forEach((partition, offset) -> {
                        if (offset != null) {
                            offsets.put(partition, offset.offset());
                        }
                    });
                    return offsets;
                });
    }

    private Uni<List<TopicPartition>> partitions(List<Topic> topics) {
        return describe(topics)
                .map(found -> found.values().stream()
                        .flatMap(topic -> topic.partitions().stream()
                                .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                        .toList());
    }

    private Uni<Map<String, TopicDescription>> describe(List<Topic> topics) {
        return uni(
                () -> admin.describeTopics(topics.stream().map(Topic::topicName).toList())
                        .allTopicNames());
    }

    /**
     * What operators should mend: a sentence for each topic with fewer replicas, or a lower min ISR, than its brokers allow. Fails if a topic is missing.
     */
    public Uni<List<String>> weaknesses() {
        List<Topic> topics = List.of(Topic.values());
        List<ConfigResource> resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.topicName()))
                .toList();
        return Uni.combine()
                .all()
                .unis(
                        describe(topics),
                        uni(() -> admin.describeConfigs(resources).all()),
                        uni(() -> admin.describeCluster().nodes()))
                .with((found, configs, nodes) -> {
                    int replicas = Math.min(WANTED_REPLICAS, nodes.size());
                    List<String> weaknesses = new ArrayList<>();
                    for (TopicDescription topic : found.values()) {
                        int fewest = topic.partitions().stream()
                                .mapToInt(partition -> partition.replicas().size())
                                .min()
                                .orElse(0);
                        int minIsr = Integer.parseInt(
                                configs.get(new ConfigResource(ConfigResource.Type.TOPIC, topic.name()))
                                        .get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG)
                                        .value());
                        if (fewest < replicas || minIsr < minIsr(replicas)) {
                            weaknesses.add("%s: %d replicas, min.insync.replicas %d; wanted %d and %d"
                                    .formatted(topic.name(), fewest, minIsr, replicas, minIsr(replicas)));
                        }
                    }
                    return weaknesses;
                });
    }

    /** Asks anew with each subscription: what is repeated, or tried again, must not look at an old answer. */
    private static <T> Uni<T> uni(Supplier<KafkaFuture<T>> request) {
        return Uni.createFrom()
                .completionStage(() -> request.get().toCompletionStage())
                .ifNoItem()
                .after(TIMEOUT)
                .fail()
                .onFailure()
                .transform(LogUnavailable::new);
    }

    @PreDestroy
    void close() {
        admin.close(Duration.ZERO);
    }
}
