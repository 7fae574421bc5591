package io.penstock.platform;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * "Everything accepted before is settled": the settlement group's committed offsets of all partitions of all deduct topics have
 * passed the end offsets read at the start.
 */
@ApplicationScoped
public class Fence {

    /** The consumer group that settles. */
    public static final String SETTLEMENT_GROUP = "penstock-settlement";

    private static final List<Topic> DEDUCT_TOPICS = List.of(Topic.DEDUCT, Topic.ORDERED);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(25);

    private final KafkaAdmin kafka;

    Fence(KafkaAdmin kafka) {
        this.kafka = kafka;
    }

    /**
     * Ends once all that Kafka had acknowledged when it was called is settled.
     *
     * @param atMost how long to wait
     * @throws LogUnavailable (as the failure) if Kafka cannot say, or the settlement has not come that far in time
     */
    public Uni<Void> pass(Duration atMost) {
        return Uni.combine()
                .all()
                .unis(
                        kafka.offsets(DEDUCT_TOPICS, OffsetSpec.latest()),
                        kafka.offsets(DEDUCT_TOPICS, OffsetSpec.earliest()))
                .asTuple()
                .chain(offsets -> settled(offsets.getItem1(), offsets.getItem2())
                        .repeat()
                        .withDelay(LOOK_AGAIN)
                        .whilst(passed -> !passed)
                        .collect()
                        .last())
                .ifNoItem()
                .after(atMost)
                .fail()
                .onFailure(e -> !(e instanceof LogUnavailable))
                .transform(LogUnavailable::new)
                .replaceWithVoid();
    }

    private Uni<Boolean> settled(Map<TopicPartition, Long> ends, Map<TopicPartition, Long> beginnings) {
        return kafka.committed(SETTLEMENT_GROUP)
                .map(committed -> ends.entrySet().stream().allMatch(partition -> {
                    long nothingBefore = beginnings.getOrDefault(partition.getKey(), 0L);
                    long settledBefore = committed.getOrDefault(partition.getKey(), nothingBefore);
                    return settledBefore >= partition.getValue();
                }));
    }
}
