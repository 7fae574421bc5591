package io.penstock.deduction;

import io.penstock.platform.CrashPoint;
import io.penstock.platform.LogUnavailable;
import io.penstock.platform.Overloaded;
import io.penstock.platform.Topic;
import io.penstock.settlement.DeductMessage;
import io.penstock.stock.BucketId;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Puts accepted deductions into {@code stock.deduct} (acks=all, idempotent). One record is in flight per partition; what is accepted meanwhile travels together in the next, so batches form by themselves and
 * an idle service waits for nothing.
 *
 * <p>It speaks to Kafka directly, where everything else uses channels: a channel makes one record a deduction, and this one is on the path of every sale.
 *
 * <p>May be called from any thread; results arrive on the caller's Vert.x context if it has one.
 */
@ApplicationScoped
public class AcceptedLog {

    private final AcceptedLogConfig config;
    private final Clock clock;
    private final Producer<byte[], byte[]> producer;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();

    /** A send blocks while the brokers are away: that must not stop an event loop. */
    private final ExecutorService sender = Executors.newSingleThreadExecutor(task -> new Thread(task, "accepted-log"));

    AcceptedLog(@Identifier("default-kafka-broker") Map<String, Object> broker, AcceptedLogConfig config, Clock clock) {
        this.config = config;
        this.clock = clock;
        int timeout = (int) config.timeout().toMillis();
        Map<String, Object> settings = new HashMap<>(broker);
        settings.keySet().retainAll(ProducerConfig.configNames());
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, "penstock-accepted");
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        // The lanes make the batches; Kafka need not wait for more.
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeout);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, timeout);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeout);
        this.producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Ends when Kafka has it.
     *
     * @param epoch of the bucket when it accepted
     * @throws LogUnavailable (as the failure) if Kafka has not acknowledged in time: it may still arrive
     * @throws Overloaded (as the failure) if too many wait: it was not sent
     */
    public Uni<Void> append(BucketId bucket, long epoch, DeductMessage.Deduction deduction) {
        return Uni.createFrom()
                .<Void>emitter(emitter -> {
                    if (waiting.incrementAndGet() > config.maxWaiting()) {
                        waiting.decrementAndGet();
                        emitter.fail(new Overloaded("Too many deductions wait for the log."));
                        return;
                    }
                    int hash = bucket.tag().hashCode() & Integer.MAX_VALUE;
                    lanes.computeIfAbsent(hash % config.lanes(), Lane::new)
                            .add(new Entry(bucket, epoch, deduction, emitter, Vertx.currentContext()));
                })
                // While the brokers are away the lanes wait in turn; a client must not.
                .ifNoItem()
                .after(config.timeout())
                .failWith(() -> new LogUnavailable(new TimeoutException("not acknowledged in time")));
    }

    private record Entry(
            BucketId bucket,
            long epoch,
            DeductMessage.Deduction deduction,
            UniEmitter<? super Void> emitter,
            Context context) {}

    /** The entries of one partition. */
    private final class Lane {

        private final int number;
        private final Queue<Entry> queue = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean inFlight = new AtomicBoolean();

        Lane(int number) {
            this.number = number;
        }

        void add(Entry entry) {
            queue.add(entry);
            sendNext();
        }

        private void sendNext() {
            if (!queue.isEmpty() && inFlight.compareAndSet(false, true)) {
                sender.execute(this::send);
            }
        }

        private void send() {
            List<Entry> round = new ArrayList<>();
            for (Entry entry = queue.poll(); entry != null; entry = queue.poll()) {
                round.add(entry);
                if (round.size() == config.maxRound()) {
                    break;
                }
            }
            try {
                // Asked every time: a topic may gain partitions while we run.
                int partition =
                        number % producer.partitionsFor(Topic.Name.DEDUCT).size();
                byte[] value = message(round).toBytes();
                producer.send(
                        new ProducerRecord<>(Topic.Name.DEDUCT, partition, null, value),
                        (metadata, failure) -> ended(round, failure));
                CrashPoint.BEFORE_KAFKA_ACK.pass();
            } catch (RuntimeException e) {
                ended(round, e);
            }
        }

        private DeductMessage message(List<Entry> round) {
            Map<BucketId, Map<Long, List<DeductMessage.Deduction>>> byBucket = new LinkedHashMap<>();
            for (Entry entry : round) {
                byBucket.computeIfAbsent(entry.bucket(), bucket -> new LinkedHashMap<>())
                        .computeIfAbsent(entry.epoch(), epoch -> new ArrayList<>())
                        .add(entry.deduction());
            }
            List<DeductMessage.Part> parts = new ArrayList<>();
            byBucket.forEach((bucket, byEpoch) -> byEpoch.forEach((epoch, deductions) -> parts.add(
                    new DeductMessage.Part(bucket.skuId(), bucket.bucketNo(), epoch, clock.instant(), deductions))));
            return new DeductMessage(parts);
        }

        private void ended(List<Entry> round, Throwable failure) {
            if (failure == null) {
                CrashPoint.AFTER_KAFKA_ACK.pass();
            }
            inFlight.set(false);
            sendNext();
            waiting.addAndGet(-round.size());
            Map<Context, List<Entry>> byContext = new HashMap<>();
            for (Entry entry : round) {
                byContext
                        .computeIfAbsent(entry.context(), context -> new ArrayList<>())
                        .add(entry);
            }
            byContext.forEach((context, entries) -> {
                if (context == null) {
                    complete(entries, failure);
                } else {
                    context.runOnContext(nothing -> complete(entries, failure));
                }
            });
        }

        private static void complete(List<Entry> entries, Throwable failure) {
            for (Entry entry : entries) {
                if (failure == null) {
                    entry.emitter().complete(null);
                } else {
                    entry.emitter().fail(new LogUnavailable(failure));
                }
            }
        }
    }

    @PreDestroy
    void close() {
        sender.shutdown();
        producer.close(Duration.ofMillis(config.timeout().toMillis()));
    }
}
