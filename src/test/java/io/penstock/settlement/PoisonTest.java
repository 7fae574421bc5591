package io.penstock.settlement;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.penstock.ledger.SkuDefinition;
import io.penstock.ledger.SkuLedger;
import io.penstock.platform.Api;
import io.penstock.platform.Topic;
import io.penstock.stock.Ordering;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What no retry will make readable, on every topic that comes in: a dead letter once, unchanged, with its reason; the next good message flows. */
@QuarkusTest
class PoisonTest {

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** A topic that comes in, and how its good messages look; {@code %d} is the SKU. */
    enum Incoming {
        DEDUCT(
                Topic.Name.DEDUCT,
                false,
                "{\"v\":1,\"type\":\"DEDUCT\",\"parts\":[{\"skuId\":%d,\"bucketNo\":0,\"epoch\":1,"
                        + "\"deductedAt\":\"2026-11-30T10:00:00Z\",\"deductions\":[{\"deductKey\":\"good\",\"qty\":1}]}]}",
                "DEDUCTED"),
        ROLLBACK(
                Topic.Name.ROLLBACK,
                true,
                "{\"v\":1,\"deductKey\":\"good\",\"skuId\":%d,\"bucketNo\":0,\"reason\":\"cancelled\"}",
                "CANCELLED"),
        ORDERED(
                Topic.Name.ORDERED,
                true,
                "{\"v\":1,\"type\":\"ROLLBACK\",\"deductKey\":\"good\",\"skuId\":%d,\"bucketNo\":0}",
                "CANCELLED"),
        COMPENSATION(
                Topic.Name.COMPENSATION,
                true,
                "{\"v\":1,\"kind\":\"ROLLBACK\",\"deductKey\":\"good\",\"skuId\":%d,\"bucketNo\":0,\"cause\":\"told\"}",
                "CANCELLED");

        private final String topic;
        private final boolean keyed;
        private final String good;
        private final String ends;

        Incoming(String topic, boolean keyed, String good, String ends) {
            this.topic = topic;
            this.keyed = keyed;
            this.good = good;
            this.ends = ends;
        }

        String good(long sku) {
            return good.formatted(sku);
        }
    }

    /** @param reason how the dead letter's begins */
    private record Poison(byte[] key, byte[] value, String reason) {}

    @Inject
    SkuLedger skus;

    @ConfigProperty(name = "kafka.bootstrap.servers")
    String brokers;

    private KafkaProducer<byte[], byte[]> producer;
    private KafkaConsumer<byte[], byte[]> buried;
    private final List<ConsumerRecord<byte[], byte[]>> letters = new ArrayList<>();

    @BeforeEach
    void listen() {
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers, "compression.type", "gzip", "max.request.size", 30_000_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        buried = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        brokers,
                        "group.id",
                        "poison-test-" + UUID.randomUUID(),
                        "auto.offset.reset",
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        buried.subscribe(List.of(Topic.Name.DEAD_LETTER));
    }

    @AfterEach
    void stop() {
        producer.close();
        buried.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] large(String good) {
        byte[] blanks = new byte[2_000_000];
        Arrays.fill(blanks, (byte) ' ');
        System.arraycopy(bytes(good), 0, blanks, 0, bytes(good).length);
        return blanks;
    }

    private static List<Poison> poisons(Incoming incoming, long sku) {
        String good = incoming.good(sku);
        byte[] key = incoming.keyed ? bytes("good") : null;
        Stream<Poison> values = Stream.of(
                new Poison(key, null, "empty"),
                new Poison(key, new byte[0], "empty"),
                new Poison(key, bytes("garbage"), "not JSON"),
                new Poison(key, new byte[] {(byte) 0xff, 0, (byte) 0xfe}, "not JSON"),
                new Poison(key, bytes(good + good), "not JSON"),
                new Poison(key, bytes("[" + good + "]"), "not a JSON object"),
                new Poison(key, bytes(good.replace("\"v\":1", "\"v\":2")), "version is not 1"),
                new Poison(key, bytes(good.replace("\"v\":1", "\"v\":\"1\"")), "version is not 1"),
                new Poison(key, bytes(good.replace("" + sku, "\"" + sku + "\"")), "skuId must be an integer"),
                new Poison(key, bytes(good.replace("" + sku, sku + ".0")), "skuId must be an integer"),
                new Poison(key, bytes(good.replace("" + sku, "0")), "skuId must be"),
                new Poison(
                        key, bytes(good.replace("\"bucketNo\":0", "\"bucketNo\":true")), "bucketNo must be an integer"),
                new Poison(key, bytes(good.replace("\"good\"", "17")), "deductKey must be a string"),
                new Poison(key, bytes(good.replace("\"good\"", "\"no key\"")), "deductKey must be"),
                new Poison(key, large(good), "larger than"));
        return incoming.keyed
                ? Stream.concat(values, Stream.of(new Poison(null, bytes(good), "key is missing")))
                        .toList()
                : values.toList();
    }

    private String header(ConsumerRecord<byte[], byte[]> letter, String name) {
        return new String(letter.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    private List<ConsumerRecord<byte[], byte[]>> letters(String topic, long offset) {
        buried.poll(Duration.ofMillis(100)).forEach(letters::add);
        return letters.stream()
                .filter(letter -> topic.equals(header(letter, "dead-letter-topic"))
                        && letter.headers().lastHeader("dead-letter-offset") != null
                        && header(letter, "dead-letter-partition").equals("0")
                        && header(letter, "dead-letter-offset").equals("" + offset))
                .toList();
    }

    private long send(Incoming incoming, byte[] key, byte[] value) throws Exception {
        return producer.send(new ProducerRecord<>(incoming.topic, 0, key, value))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .offset();
    }

    @ParameterizedTest
    @EnumSource
    void isBuriedOnceUnchangedWithItsReasonAndTheNextGoodMessageFlows(Incoming incoming) throws Exception {
        // Given
        long sku = Api.newSku(100, 0);
        List<Poison> poisons = poisons(incoming, sku);
        List<Long> offsets = new ArrayList<>();

        // When
        for (Poison poison : poisons) {
            offsets.add(send(incoming, poison.key(), poison.value()));
        }
        send(incoming, incoming.keyed ? bytes("good") : null, bytes(incoming.good(sku)));

        // Then
        await().atMost(PATIENCE)
                .until(() -> incoming.ends.equals(Api.get("/v1/skus/" + sku + "/deductions/good")
                        .json()
                        .path("status")
                        .textValue()));
        for (int i = 0; i < poisons.size(); i++) {
            long offset = offsets.get(i);
            Poison poison = poisons.get(i);
            ConsumerRecord<byte[], byte[]> letter = await().atMost(PATIENCE)
                    .until(() -> letters(incoming.topic, offset), found -> !found.isEmpty())
                    .get(0);
            assertArrayEquals(poison.key(), letter.key(), poison.reason());
            assertArrayEquals(poison.value(), letter.value(), poison.reason());
            String reason = header(letter, "dead-letter-reason");
            assertEquals(
                    poison.reason(),
                    reason.substring(
                            0, Math.min(reason.length(), poison.reason().length())));
            assertEquals(1, letters(incoming.topic, offset).size(), poison.reason());
        }
    }

    @ParameterizedTest
    @EnumSource
    void namesAnUnknownSku(Incoming incoming) throws Exception {
        // Given
        long unknown = Api.newSkuId();
        long sku = Api.newSku(100, 0);
        byte[] key = incoming.keyed ? bytes("good") : null;

        // When
        send(incoming, key, bytes(incoming.good(unknown)));
        send(incoming, key, bytes(incoming.good(sku)));

        // Then
        await().atMost(PATIENCE)
                .until(() -> Api.get("/v1/skus/" + sku + "/deductions/good").status() == 200);
        await().atMost(PATIENCE).until(() -> {
            buried.poll(Duration.ofMillis(100)).forEach(letters::add);
            return letters.stream()
                    .anyMatch(letter -> letter.value() != null
                            && new String(letter.value(), StandardCharsets.UTF_8).contains("" + unknown));
        });
        assertFalse(Api.get("/v1/compensations?limit=1000").text().contains("" + unknown));
    }

    @Test
    void aStrayNamesABucketThatIsNotThere() throws Exception {
        // Given
        long sku = Api.newSku(100, 2);
        String stray = "{\"v\":1,\"kind\":\"STRAY\",\"deductKey\":\"good\",\"skuId\":" + sku
                + ",\"bucketNo\":999,\"cause\":\"told\"}";

        // When
        long offset = send(Incoming.COMPENSATION, bytes("good"), bytes(stray));

        // Then
        ConsumerRecord<byte[], byte[]> letter = await().atMost(PATIENCE)
                .until(() -> letters(Topic.Name.COMPENSATION, offset), found -> !found.isEmpty())
                .get(0);
        assertEquals("SKU " + sku + " has no bucket 999.", header(letter, "dead-letter-reason"));
    }

    /** A request's "unknown" is remembered for a second: no reason to bury a message. */
    @ParameterizedTest
    @EnumSource
    void namesASkuThatWasUnknownAMomentAgo(Incoming incoming) throws Exception {
        // Given
        long sku = Api.newSkuId();
        byte[] key = incoming.keyed ? bytes("good") : null;
        String deduction = "/v1/skus/" + sku + "/deductions/good";
        assertEquals(404, Api.get(deduction).status());
        definedByAnotherInstance(sku);

        // When
        send(incoming, key, bytes(incoming.good(sku)));

        // Then
        await().atMost(PATIENCE)
                .until(() -> incoming.ends.equals(
                        Api.get(deduction).json().path("status").textValue()));
    }

    private void definedByAnotherInstance(long sku) {
        skus.define(new SkuDefinition(
                        new SkuId(sku), new SkuCode("LATE"), 100, List.of(0), Strategy.REDIS, Ordering.SPLIT))
                .await()
                .atMost(PATIENCE);
    }
}
