package io.penstock.deduction;

import io.penstock.platform.CrashPoint;
import io.penstock.platform.LogUnavailable;
import io.penstock.platform.Overloaded;
import io.penstock.platform.Topic;
import io.penstock.settlement.DeductMessage;
import io.penstock.stock.BucketId;
import io.penstock.stock.Ordering;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
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
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Puts accepted deductions into the log (acks=all, idempotent). Each travels in a lane; what is accepted while a lane's round is in flight makes its next round, so batches form by themselves and
 * an idle service waits for nothing.
 *
 * <p>SPLIT: {@code stock.deduct}, a lane per partition, and one record a round. ORDERED: {@code stock.ordered}, one lane, and one record a deduction, keyed by deduct key. Either way what is appended
 * later never overtakes.
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
    private final Lane ordered = new Lane(this::oneByOne);

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
     * @param ordering of the SKU
     * @param epoch of the bucket when it accepted
     * @throws LogUnavailable (as the failure) if Kafka has not acknowledged in time: it may still arrive
     * @throws Overloaded (as the failure) if too many wait: it was not sent
     */
    public Uni<Void> append(Ordering ordering, BucketId bucket, long epoch, DeductMessage.Deduction deduction) {
        return Uni.createFrom()
                .<Void>emitter(emitter -> {
                    if (waiting.incrementAndGet() > config.maxWaiting()) {
                        waiting.decrementAndGet();
                        emitter.fail(new Overloaded("Too many deductions wait for the log."));
                        return;
                    }
                    lane(ordering, bucket).add(new Entry(bucket, epoch, deduction, emitter, Vertx.currentContext()));
                })
                // While the brokers are away the lanes wait in turn; a client must not.
                .ifNoItem()
                .after(config.timeout())
                .failWith(() -> new LogUnavailable(new TimeoutException("not acknowledged in time")));
    }

    private Lane lane(Ordering ordering, BucketId bucket) {
        return switch (ordering) {
            case SPLIT -> {
                int hash = bucket.tag().hashCode() & Integer.MAX_VALUE;
                yield lanes.computeIfAbsent(
                        hash % config.lanes(), number -> new Lane(round -> List.of(together(round, number))));
            }
            case ORDERED -> ordered;
        };
    }

    private record Entry(
            BucketId bucket,
            long epoch,
            DeductMessage.Deduction deduction,
            UniEmitter<? super Void> emitter,
            Context context) {}

    /** A record, and the entries that are acknowledged with it. */
    private record Parcel(ProducerRecord<byte[], byte[]> record, List<Entry> entries) {}

    /** All in one record, in the partition of their lane. */
    private Parcel together(List<Entry> round, int lane) {
        // Asked every time: a topic may gain partitions while we run.
        int partition = lane % producer.partitionsFor(Topic.Name.DEDUCT).size();
        return new Parcel(new ProducerRecord<>(Topic.Name.DEDUCT, partition, null, message(round)), round);
    }

    /** Each in a record of its own, in the partition of its key. */
    private List<Parcel> oneByOne(List<Entry> round) {
        // Without brokers it is here that the round waits, once, and fails together.
        producer.partitionsFor(Topic.Name.ORDERED);
        return round.stream()
                .map(entry -> {
                    byte[] key = entry.deduction().deductKey().value().getBytes(StandardCharsets.US_ASCII);
                    List<Entry> alone = List.of(entry);
                    return new Parcel(new ProducerRecord<>(Topic.Name.ORDERED, key, message(alone)), alone);
                })
                .toList();
    }

    private byte[] message(List<Entry> entries) {
        Map<BucketId, Map<Long, List<DeductMessage.Deduction>>> byBucket = new LinkedHashMap<>();
        for (Entry entry : entries) {
            byBucket.computeIfAbsent(entry.bucket(), bucket -> new LinkedHashMap<>())
                    .computeIfAbsent(entry.epoch(), epoch -> new ArrayList<>())
                    .add(entry.deduction());
        }
        List<DeductMessage.Part> parts = new ArrayList<>();
        byBucket.forEach((bucket, byEpoch) -> byEpoch.forEach((epoch, deductions) -> parts.add(
                new DeductMessage.Part(bucket.skuId(), bucket.bucketNo(), epoch, clock.instant(), deductions))));
        return new DeductMessage(parts).toBytes();
    }

    /** Entries on their way, one round after the other. */
    private final class Lane {

        private final Function<List<Entry>, List<Parcel>> pack;
        private final Queue<Entry> queue = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean inFlight = new AtomicBoolean();

        Lane(Function<List<Entry>, List<Parcel>> pack) {
            this.pack = pack;
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
            if (round.isEmpty()) {
                // Another round took them between the look at the queue and this one's start.
                nextRound();
                return;
            }
            List<Parcel> parcels;
            try {
                parcels = pack.apply(round);
            } catch (RuntimeException e) {
                nextRound();
                ended(round, e);
                return;
            }
            AtomicInteger unanswered = new AtomicInteger(parcels.size());
            for (Parcel parcel : parcels) {
                ship(parcel, failure -> {
                    if (failure == null) {
                        CrashPoint.AFTER_KAFKA_ACK.pass();
                    }
                    if (unanswered.decrementAndGet() == 0) {
                        nextRound();
                    }
                    ended(parcel.entries(), failure);
                });
                CrashPoint.BEFORE_KAFKA_ACK.pass();
            }
        }

        private void nextRound() {
            inFlight.set(false);
            sendNext();
        }
    }

    /** @param ended told once, with null or the failure */
    private void ship(Parcel parcel, Consumer<Throwable> ended) {
        try {
            producer.send(parcel.record(), (metadata, failure) -> ended.accept(failure));
        } catch (RuntimeException e) {
            ended.accept(e);
        }
    }

    private void ended(List<Entry> entries, Throwable failure) {
        waiting.addAndGet(-entries.size());
        Map<Context, List<Entry>> byContext = new HashMap<>();
        for (Entry entry : entries) {
            byContext
                    .computeIfAbsent(entry.context(), context -> new ArrayList<>())
                    .add(entry);
        }
        byContext.forEach((context, sameContext) -> {
            if (context == null) {
                complete(sameContext, failure);
            } else {
                context.runOnContext(nothing -> complete(sameContext, failure));
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

    @PreDestroy
    void close() {
        sender.shutdown();
        producer.close(Duration.ofMillis(config.timeout().toMillis()));
    }
}
