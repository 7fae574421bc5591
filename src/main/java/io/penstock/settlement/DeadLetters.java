package io.penstock.settlement;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.platform.Topic;
import io.quarkus.runtime.Startup;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.jboss.logging.Logger;

/** What cannot be read goes to {@code stock.dead-letter}, unchanged, with the reason in its headers; its partition moves on. */
@Startup // so that its metrics are there, at 0, from the start
@ApplicationScoped
public class DeadLetters {

    private static final Logger LOG = Logger.getLogger(DeadLetters.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

    private final MutinyEmitter<ProducerRecord<byte[], byte[]>> emitter;
    private final Counter counter;

    DeadLetters(@Channel("dead-letter") MutinyEmitter<ProducerRecord<byte[], byte[]>> emitter, MeterRegistry metrics) {
        this.emitter = emitter;
        this.counter = Counter.builder("penstock.dead.letters")
                .description("Messages that could not be read; each stands in stock.dead-letter with its reason")
                .register(metrics);
    }

    /** A whole message. Ends when Kafka has it, however long that takes: nothing is dropped. */
    public Uni<Void> bury(ConsumerRecord<byte[], byte[]> record, String reason) {
        Headers headers = new RecordHeaders(record.headers().toArray())
                .add("dead-letter-topic", bytes(record.topic()))
                .add("dead-letter-partition", bytes(Integer.toString(record.partition())))
                .add("dead-letter-offset", bytes(Long.toString(record.offset())));
        LOG.warnf(
                "dead letter topic=%s partition=%d offset=%d reason=%s",
                record.topic(), record.partition(), record.offset(), reason);
        return send(record.key(), record.value(), headers, reason);
    }

    /** The one part of a message that cannot be settled, in the message's own format. Ends as the other does. */
    Uni<Void> bury(Topic from, DeductMessage message, String reason) {
        LOG.warnf("dead letter topic=%s message=%s reason=%s", from.topicName(), message, reason);
        Headers headers = new RecordHeaders().add("dead-letter-topic", bytes(from.topicName()));
        return send(null, message.toBytes(), headers, reason);
    }

    private Uni<Void> send(byte[] key, byte[] value, Headers headers, String reason) {
        headers.add("dead-letter-reason", bytes(reason));
        return Uni.createFrom()
                .deferred(() -> emit(key, value, headers))
                .onFailure(DeadLetters::isTooLarge)
                .recoverWithUni(() -> emit(key, new byte[0], headers.add("dead-letter-value", bytes("too large"))))
                .onFailure()
                .invoke(e -> LOG.warnf("dead letter not sent, tried again reason=%s", e.getMessage()))
                .onFailure()
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely()
                .invoke(() -> counter.increment());
    }

    private Uni<Void> emit(byte[] key, byte[] value, Headers headers) {
        return emitter.send(new ProducerRecord<>(Topic.Name.DEAD_LETTER, null, key, value, headers));
    }

    /** Larger than a dead letter may be: it stays where it was, at the topic, partition and offset of the headers. */
    private static boolean isTooLarge(Throwable failure) {
        return failure instanceof RecordTooLargeException || failure.getCause() instanceof RecordTooLargeException;
    }

    private static byte[] bytes(String text) {
        return String.valueOf(text).getBytes(StandardCharsets.UTF_8);
    }
}
