package io.penstock.settlement;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.ledger.OutcomeLedger;
import io.penstock.platform.Api;
import io.penstock.platform.Topic;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** 落库, seen from its topics: what comes in, what the ledger and the gate have afterwards, and what the order system is told. */
@QuarkusTest
class SettlementTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BUCKETS = 2;

    @ConfigProperty(name = "kafka.bootstrap.servers")
    String brokers;

    @Inject
    OutcomeLedger owedOutcomes;

    private KafkaProducer<byte[], byte[]> producer;
    private KafkaConsumer<byte[], byte[]> told;
    private final List<ConsumerRecord<byte[], byte[]>> seen = new ArrayList<>();

    @BeforeEach
    void listen() {
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers), new ByteArraySerializer(), new ByteArraySerializer());
        told = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        brokers,
                        "group.id",
                        "settlement-test-" + UUID.randomUUID(),
                        "auto.offset.reset",
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        told.subscribe(List.of(Topic.Name.OUTCOME, Topic.Name.DEAD_LETTER));
    }

    @AfterEach
    void stop() {
        producer.close();
        told.close();
    }

    // ---- What comes in ----

    private static byte[] message(long sku, int bucket, String key, int qty) {
        return message(sku, bucket, List.of(key), qty).encode().getBytes(StandardCharsets.UTF_8);
    }

    private static JsonObject message(long sku, int bucket, List<String> keys, int qty) {
        JsonArray deductions = new JsonArray();
        keys.forEach(
                key -> deductions.add(new JsonObject().put("deductKey", key).put("qty", qty)));
        return new JsonObject()
                .put("v", 1)
                .put("type", "DEDUCT")
                .put(
                        "parts",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("skuId", sku)
                                        .put("bucketNo", bucket)
                                        .put("epoch", 1)
                                        .put("deductedAt", "2026-11-30T10:00:00Z")
                                        .put("deductions", deductions)));
    }

    private void send(byte[] value) {
        producer.send(new ProducerRecord<>(Topic.Name.DEDUCT, 0, null, value));
        producer.flush();
    }

    // ---- What is told ----

    private List<ConsumerRecord<byte[], byte[]>> seen(String topic) {
        told.poll(Duration.ofMillis(100)).forEach(seen::add);
        return seen.stream().filter(record -> record.topic().equals(topic)).toList();
    }

    private List<JsonNode> outcomes(long sku, String key) {
        return seen(Topic.Name.OUTCOME).stream()
                .map(SettlementTest::json)
                .filter(outcome -> outcome.path("skuId").longValue() == sku
                        && outcome.path("deductKey").textValue().equals(key))
                .toList();
    }

    private ConsumerRecord<byte[], byte[]> deadLetter(byte[] value) {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> seen(Topic.Name.DEAD_LETTER).stream()
                                .filter(letter -> Arrays.equals(letter.value(), value))
                                .toList(),
                        letters -> letters.size() == 1)
                .get(0);
    }

    private static String reason(ConsumerRecord<byte[], byte[]> letter) {
        return new String(letter.headers().lastHeader("dead-letter-reason").value(), StandardCharsets.UTF_8);
    }

    private static JsonNode json(ConsumerRecord<byte[], byte[]> record) {
        try {
            return JSON.readTree(record.value());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode show(long sku, String key) {
        return Api.get("/v1/skus/" + sku + "/deductions/" + key).json();
    }

    private static void awaitStatus(long sku, String key, String status) {
        await().until(() -> status.equals(show(sku, key).path("status").textValue()));
    }

    private static long ledgerAvailable(long sku) {
        return Api.view(sku).path("ledgerAvailable").longValue();
    }

    /** Everything sent before this has been consumed. */
    private void settled(long sku, int bucket) {
        String last = "last-" + UUID.randomUUID();
        send(message(sku, bucket, last, 1));
        awaitStatus(sku, last, "DEDUCTED");
    }

    @Nested
    class WhenADeductionIsAccepted {

        @Test
        void itsFlowIsSoldAndItsOutcomeToldOnceItIsSettled() {
            // Given
            long sku = Api.newSku(100, BUCKETS);

            // When
            int bucket = Api.deduct(sku, "order-1", 3).ok(201).path("bucketNo").intValue();

            // Then
            awaitStatus(sku, "order-1", "DEDUCTED");
            List<JsonNode> outcomes = await().until(() -> outcomes(sku, "order-1"), all -> !all.isEmpty());
            JsonNode outcome = outcomes.get(0);
            assertEquals(
                    Set.of("v", "deductKey", "skuId", "bucketNo", "qty", "status", "version", "at"),
                    Api.fields(outcome));
            assertEquals(1, outcome.path("v").intValue());
            assertEquals(bucket, outcome.path("bucketNo").intValue());
            assertEquals(3, outcome.path("qty").intValue());
            assertEquals("DEDUCTED", outcome.path("status").textValue());
            assertEquals(1, outcome.path("version").intValue());
        }

        @Test
        void aRollbackIsToldWithAHigherVersion() {
            // Given
            long sku = Api.newSku(100, BUCKETS);
            Api.deduct(sku, "order-1", 3).ok(201);
            awaitStatus(sku, "order-1", "DEDUCTED");

            // When
            Api.post("/v1/skus/" + sku + "/deductions/order-1/rollback").ok(200);

            // Then
            List<JsonNode> outcomes = await().until(() -> outcomes(sku, "order-1"), all -> all.size() >= 2);
            assertEquals(
                    "ROLLED_BACK",
                    outcomes.get(outcomes.size() - 1).path("status").textValue());
            assertEquals(2, outcomes.get(outcomes.size() - 1).path("version").intValue());
            await().until(() -> owedOutcomes.owedFor(Duration.ZERO, 1000).await().atMost(Duration.ofSeconds(5)).stream()
                    .flatMap(owed -> owed.outcomes().stream())
                    .noneMatch(owed -> owed.skuId().value() == sku));
        }
    }

    @Nested
    class WhenAMessageComesAgain {

        @Test
        void nothingIsSoldTwiceAndTheOutcomeIsToldAgain() {
            // Given
            long sku = Api.newSku(100, BUCKETS);
            byte[] message = message(sku, 1, "order-1", 4);
            send(message);
            awaitStatus(sku, "order-1", "DEDUCTED");

            // When
            send(message);
            settled(sku, 1);

            // Then
            assertEquals(95, ledgerAvailable(sku));
            await().until(() -> outcomes(sku, "order-1").size() == 2);
        }

        @Test
        void ofAKeyThatStandsTwiceInOneMessageOneIsSold() {
            // Given
            long sku = Api.newSku(100, BUCKETS);

            // When
            send(message(sku, 1, List.of("order-1", "order-1"), 4).encode().getBytes(StandardCharsets.UTF_8));
            settled(sku, 1);

            // Then
            assertEquals(95, ledgerAvailable(sku));
        }
    }

    @Nested
    class WhenAKnownKeyComesWithOtherValues {

        @Test
        void anotherQuantityIsADeadLetterAndTheFlowStands() {
            // Given
            long sku = Api.newSku(100, BUCKETS);
            send(message(sku, 1, "order-1", 4));
            awaitStatus(sku, "order-1", "DEDUCTED");

            // When
            byte[] other = message(sku, 1, "order-1", 5);
            send(other);

            // Then
            assertEquals("sold before with qty 4", reason(deadLetter(other)));
            assertEquals(4, show(sku, "order-1").path("qty").intValue());
        }

        @Test
        void anEntryInAnotherBucketIsRestoredThereAndTheKeyStaysSold() {
            // Given a key that its own bucket sold, and that another bucket took as well
            long sku = Api.newSku(10, BUCKETS);
            int home = Api.deduct(sku, "order-1", 5).ok(201).path("bucketNo").intValue();
            awaitStatus(sku, "order-1", "DEDUCTED");
            int other = home == 1 ? 2 : 1;

            // When
            send(message(sku, other, "order-1", 5));

            // Then it changes nothing in the ledger, and a retry is told the truth
            settled(sku, other);
            assertEquals(home, show(sku, "order-1").path("bucketNo").intValue());
            assertEquals(4, ledgerAvailable(sku));
            assertEquals(0, Api.deduct(sku, "order-1", 5).ok(200).path("code").intValue());
        }
    }

    @Nested
    class WhenTheGateGaveAwayMoreThanTheLedgerHas {

        @Test
        void theExcessIsRejectedToldAndNotOwedForLong() {
            // Given
            long sku = Api.newSku(4, BUCKETS);

            // When
            send(message(sku, 1, "order-1", 2));
            send(message(sku, 1, "order-2", 1));

            // Then
            awaitStatus(sku, "order-1", "DEDUCTED");
            awaitStatus(sku, "order-2", "REJECTED");
            await().until(() -> outcomes(sku, "order-2").stream()
                    .anyMatch(outcome -> outcome.path("status").textValue().equals("REJECTED")));
            await().until(() ->
                    "DONE".equals(show(sku, "order-2").path("credit").textValue()));
            assertEquals(2, ledgerAvailable(sku));
        }
    }

    @Nested
    class WhenAMessageCannotBeSettled {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "garbage",
                    "{}",
                    "[1]",
                    "{\"v\":2,\"type\":\"DEDUCT\",\"parts\":[]}",
                    "{\"v\":1,\"type\":\"OTHER\",\"parts\":[]}",
                    "{\"v\":1,\"type\":\"DEDUCT\",\"parts\":[{\"skuId\":\"1\"}]}"
                })
        void itIsADeadLetterUnchangedAndTheNextGoodOneFlows(String text) {
            // Given
            long sku = Api.newSku(100, BUCKETS);
            byte[] poison = (text + " ".repeat((int) (sku % 50))).getBytes(StandardCharsets.UTF_8);

            // When
            send(poison);
            settled(sku, 1);

            // Then
            assertArrayEquals(poison, deadLetter(poison).value());
        }

        @Test
        void aMessageWithoutADeductionIsPassedOver() {
            // Given
            long sku = Api.newSku(100, BUCKETS);

            // When
            send(message(sku, 1, List.of(), 1).encode().getBytes(StandardCharsets.UTF_8));

            // Then
            settled(sku, 1);
        }

        @ParameterizedTest
        @ValueSource(ints = {2_000_000, 20_000_000})
        void oneThatIsSmallOnlyWhenCompressedIsADeadLetterToo(int size) {
            // Given
            long sku = Api.newSku(100, BUCKETS);
            byte[] poison = new byte[size];
            Arrays.fill(poison, (byte) 'q');

            // When
            try (KafkaProducer<byte[], byte[]> compressing = new KafkaProducer<>(
                    Map.of(
                            "bootstrap.servers",
                            brokers,
                            "compression.type",
                            "gzip",
                            "max.request.size",
                            30_000_000,
                            "buffer.memory",
                            60_000_000L),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                compressing.send(new ProducerRecord<>(Topic.Name.DEDUCT, 0, null, poison));
            }

            // Then it is buried, whole if it may be so large, and the next good one flows
            settled(sku, 1);
            await().until(() -> seen(Topic.Name.DEAD_LETTER).stream()
                    .anyMatch(letter -> size < 16_000_000
                            ? Arrays.equals(letter.value(), poison)
                            : letter.headers().lastHeader("dead-letter-value") != null));
        }

        @Test
        void aBucketThatTheLedgerDoesNotHaveIsADeadLetterAndTheOthersOfItsBatchAreSold() {
            // Given
            long sku = Api.newSku(100, BUCKETS);
            byte[] nowhere = message(sku, 7, "order-1", 1);

            // When
            send(nowhere);
            send(message(sku, 1, "order-2", 1));

            // Then
            awaitStatus(sku, "order-2", "DEDUCTED");
            assertEquals("the ledger has no such bucket", reason(deadLetter(nowhere)));
        }
    }

    @Nested
    class WhenABatchIsLargerThanATransaction {

        @Test
        void everyDeductionIsSold() {
            // Given
            long sku = Api.newSku(10_000, BUCKETS);
            List<String> keys =
                    IntStream.range(0, 2_500).mapToObj(i -> "many-" + i).toList();

            // When
            send(message(sku, 1, keys, 2).encode().getBytes(StandardCharsets.UTF_8));

            // Then
            await().atMost(Duration.ofSeconds(30)).until(() -> ledgerAvailable(sku) == 5_000);
        }
    }
}
