package io.penstock.rollback;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.local.LocalServer;
import io.penstock.local.LocalServers;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.penstock.platform.ProblemType;
import io.penstock.platform.Topic;
import io.quarkus.test.junit.QuarkusTest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** ORDERED: deductions and rollbacks of a SKU travel together, in the order of each key. */
@QuarkusTest
class OrderedTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ConfigProperty(name = "kafka.bootstrap.servers")
    String brokers;

    private KafkaProducer<String, byte[]> producer;
    private KafkaConsumer<String, byte[]> consumer;
    private final List<ConsumerRecord<String, byte[]>> seen = new ArrayList<>();

    @BeforeEach
    void listen() {
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers), new StringSerializer(), new ByteArraySerializer());
        consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        brokers,
                        "group.id",
                        "ordered-test-" + UUID.randomUUID(),
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        consumer.subscribe(List.of(Topic.Name.ORDERED, Topic.Name.DEDUCT, Topic.Name.DEAD_LETTER));
    }

    @AfterEach
    void stop() {
        LocalServers.forTests().all().forEach(LocalServer::resume);
        producer.close();
        consumer.close();
    }

    private static String path(long skuId, String key) {
        return "/v1/skus/" + skuId + "/deductions/" + key;
    }

    private static Answer rollBack(long skuId, String key) {
        return Api.post(path(skuId, key) + "/rollback");
    }

    private static String outcome(Answer answer) {
        return answer.ok(200).path("outcome").textValue();
    }

    private static void awaitShown(long skuId, String key, String field, String value) {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> value.equals(
                        Api.get(path(skuId, key)).ok(200).path(field).textValue()));
    }

    private static void deducted(long skuId, String key, int qty) {
        Api.deduct(skuId, key, qty).ok(201);
        awaitShown(skuId, key, "status", "DEDUCTED");
    }

    private static void assertAllIsBack(long skuId, long total) {
        await().atMost(PATIENCE).until(() -> Api.view(skuId).path("available").longValue() == total);
        JsonNode view = Api.view(skuId);
        assertEquals(total, view.path("ledgerAvailable").longValue());
        assertEquals(0, view.path("pending").longValue());
        assertEquals(0, view.path("owed").longValue());
    }

    private void send(Topic topic, String key, String value) {
        producer.send(new ProducerRecord<>(topic.topicName(), key, value.getBytes(StandardCharsets.UTF_8)));
        producer.flush();
    }

    private static String rollbackMessage(long skuId, String key) {
        return "{\"v\":1,\"type\":\"ROLLBACK\",\"deductKey\":\"" + key + "\",\"skuId\":" + skuId + "}";
    }

    private static String deductMessage(long skuId, int bucketNo, String key, int qty) {
        return "{\"v\":1,\"type\":\"DEDUCT\",\"parts\":[{\"skuId\":" + skuId + ",\"bucketNo\":" + bucketNo
                + ",\"epoch\":1,\"deductedAt\":\"2026-11-30T10:00:00Z\",\"deductions\":[{\"deductKey\":\"" + key
                + "\",\"qty\":" + qty + "}]}]}";
    }

    /** What was sent about this key, oldest first. */
    private List<JsonNode> sent(Topic topic, long skuId, String key) {
        consumer.poll(Duration.ofMillis(100)).forEach(seen::add);
        return seen.stream()
                .filter(record -> record.topic().equals(topic.topicName()))
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .filter(text -> text.contains("\"" + key + "\"") && text.contains("\"skuId\":" + skuId))
                .map(text -> new Answer(0, null, text).json())
                .toList();
    }

    private void awaitDeadLetter(String value, String reason) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        ConsumerRecord<String, byte[]> letter = await().atMost(PATIENCE)
                .until(
                        () -> {
                            consumer.poll(Duration.ofMillis(100)).forEach(seen::add);
                            return seen.stream()
                                    .filter(record -> record.topic().equals(Topic.Name.DEAD_LETTER)
                                            && Arrays.equals(record.value(), bytes))
                                    .toList();
                        },
                        letters -> !letters.isEmpty())
                .get(0);
        assertEquals(reason, header(letter, "dead-letter-reason"));
        assertEquals(Topic.Name.ORDERED, header(letter, "dead-letter-topic"));
    }

    private static String header(ConsumerRecord<String, byte[]> letter, String name) {
        return new String(letter.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    @Nested
    class WhenAKeyIsDeductedAndRolledBack {

        @Test
        void bothTravelInTheOrderedTopicUnderItsKeyAndNothingInTheOther() {
            // Given
            long skuId = Api.newOrderedSku(10, 3);

            // When
            int bucketNo =
                    Api.deduct(skuId, "order-1", 2).ok(201).path("bucketNo").intValue();
            String outcome = outcome(rollBack(skuId, "order-1"));

            // Then
            assertEquals("ROLLED_BACK", outcome);
            List<JsonNode> sent = await().until(() -> sent(Topic.ORDERED, skuId, "order-1"), all -> all.size() == 2);
            JsonNode part = sent.get(0).path("parts").path(0);
            assertEquals("DEDUCT", sent.get(0).path("type").textValue());
            assertEquals(1, sent.get(0).path("parts").size());
            assertEquals(bucketNo, part.path("bucketNo").intValue());
            assertEquals(1, part.path("deductions").size());
            assertEquals("ROLLBACK", sent.get(1).path("type").textValue());
            assertEquals(List.of(), sent(Topic.DEDUCT, skuId, "order-1"));
            assertTrue(seen.stream()
                    .filter(record -> record.topic().equals(Topic.Name.ORDERED))
                    .filter(record -> new String(record.value(), StandardCharsets.UTF_8).contains("\"skuId\":" + skuId))
                    .allMatch(record -> record.key().equals("order-1")));
            assertAllIsBack(skuId, 10);
        }

        /** SPLIT may answer CANCELLED here: the rollback may reach the ledger first. */
        @Test
        void theRollbackAlwaysFindsItsDeductionHoweverSoonItComes() {
            // Given
            long skuId = Api.newOrderedSku(40, 3);
            for (int i = 0; i < 20; i++) {
                String key = "order-" + i;
                int bucketNo =
                        Api.deduct(skuId, key, 2).ok(201).path("bucketNo").intValue();

                // When
                Answer answer = rollBack(skuId, key);

                // Then
                assertEquals("ROLLED_BACK", outcome(answer));
                assertEquals(bucketNo, answer.json().path("bucketNo").intValue());
                assertEquals(2, answer.json().path("qty").intValue());
            }
            assertAllIsBack(skuId, 40);
        }

        @Test
        void theReasonIsInTheJournal() {
            // Given
            long skuId = Api.newOrderedSku(10, 0);
            deducted(skuId, "order-1", 2);

            // When
            Api.post(path(skuId, "order-1") + "/rollback", "{\"reason\":\"order cancelled 取消\"}")
                    .ok(200);

            // Then
            JsonNode journal =
                    Api.get(path(skuId, "order-1") + "?journal=true").ok(200).path("journal");
            assertTrue(journal.toString().contains("order cancelled 取消"), journal.toString());
        }
    }

    @Nested
    class WhenAServerIsAway {

        @Test
        void withoutRedisTheCreditIsOwedAndGivenLater() {
            // Given
            long skuId = Api.newOrderedSku(10, 1);
            deducted(skuId, "order-1", 2);
            LocalServers.forTests().redis().pause();

            // When
            Answer answer = rollBack(skuId, "order-1");
            LocalServers.forTests().redis().resume();

            // Then
            assertEquals("COMPENSATING", answer.ok(202).path("outcome").textValue());
            assertTrue(answer.header("Location").endsWith(path(skuId, "order-1")), answer.header("Location"));
            awaitShown(skuId, "order-1", "credit", "DONE");
            assertEquals("ALREADY_ROLLED_BACK", outcome(rollBack(skuId, "order-1")));
            assertAllIsBack(skuId, 10);
        }

        @Test
        void withoutTheLedgerKafkaKeepsTheRollbackUntilItIsBack() {
            // Given
            long skuId = Api.newOrderedSku(10, 1);
            deducted(skuId, "order-1", 2);
            LocalServers.forTests().ledger().pause();

            // When
            Answer answer = rollBack(skuId, "order-1");
            LocalServers.forTests().ledger().resume();

            // Then
            assertEquals("COMPENSATING", answer.ok(202).path("outcome").textValue());
            awaitShown(skuId, "order-1", "status", "ROLLED_BACK");
            awaitShown(skuId, "order-1", "credit", "DONE");
            assertAllIsBack(skuId, 10);
        }

        @Test
        void withoutKafkaTheLedgerKeepsTheRollbackUntilItIsBack() {
            // Given
            long skuId = Api.newOrderedSku(10, 1);
            deducted(skuId, "order-1", 2);
            LocalServers.forTests().kafka().pause();

            // When
            Answer answer = rollBack(skuId, "order-1");
            LocalServers.forTests().kafka().resume();

            // Then
            assertEquals("COMPENSATING", answer.ok(202).path("outcome").textValue());
            awaitShown(skuId, "order-1", "status", "ROLLED_BACK");
            awaitShown(skuId, "order-1", "credit", "DONE");
            assertAllIsBack(skuId, 10);
        }

        @Test
        void withoutBothNothingIsKnownAndAskingAgainDecides() {
            // Given
            long skuId = Api.newOrderedSku(10, 1);
            deducted(skuId, "order-1", 2);
            LocalServers.forTests().kafka().pause();
            LocalServers.forTests().ledger().pause();

            // When
            Answer answer = rollBack(skuId, "order-1");
            LocalServers.forTests().all().forEach(LocalServer::resume);

            // Then
            answer.problem(ProblemType.UNAVAILABLE);
            await().atMost(PATIENCE).until(() -> rollBack(skuId, "order-1").status() == 200);
            assertAllIsBack(skuId, 10);
        }
    }

    @Nested
    class WhenOthersWriteMessages {

        @Test
        void aRollbackByItsOwnTopicGoesBehindTheDeduction() {
            // Given
            long skuId = Api.newOrderedSku(10, 2);
            Api.deduct(skuId, "order-1", 2).ok(201);

            // When
            send(
                    Topic.ROLLBACK,
                    "order-1",
                    "{\"v\":1,\"deductKey\":\"order-1\",\"skuId\":" + skuId + ",\"reason\":\"by topic\"}");

            // Then
            awaitShown(skuId, "order-1", "status", "ROLLED_BACK");
            List<JsonNode> sent = await().until(() -> sent(Topic.ORDERED, skuId, "order-1"), all -> all.size() == 2);
            assertEquals("by topic", sent.get(1).path("reason").textValue());
            assertAllIsBack(skuId, 10);
        }

        @Test
        void manyOfOneKeyGiveItsUnitsBackOnce() {
            // Given
            long skuId = Api.newOrderedSku(10, 2);
            int bucketNo =
                    Api.deduct(skuId, "order-1", 2).ok(201).path("bucketNo").intValue();

            // When
            for (int i = 0; i < 3; i++) {
                send(Topic.ORDERED, "order-1", rollbackMessage(skuId, "order-1"));
                send(Topic.ORDERED, "order-1", deductMessage(skuId, bucketNo, "order-1", 2));
            }

            // Then
            awaitShown(skuId, "order-1", "credit", "DONE");
            assertEquals("ALREADY_ROLLED_BACK", outcome(rollBack(skuId, "order-1")));
            assertAllIsBack(skuId, 10);
        }

        @Test
        void thoseOfASplitSkuDoWhatTheyWouldByTheirOwnTopics() {
            // Given
            long skuId = Api.newSku(10, 1);
            deducted(skuId, "order-1", 2);

            // When
            send(Topic.ORDERED, "order-2", deductMessage(skuId, 1, "order-2", 3));
            send(Topic.ORDERED, "order-1", rollbackMessage(skuId, "order-1"));

            // Then
            awaitShown(skuId, "order-1", "status", "ROLLED_BACK");
            awaitShown(skuId, "order-2", "status", "DEDUCTED");
            assertEquals(7, Api.view(skuId).path("ledgerAvailable").longValue());
        }

        @Test
        void aDeductionByTheOtherTopicIsSettledAllTheSame() {
            // Given
            long skuId = Api.newOrderedSku(10, 1);

            // When
            send(Topic.DEDUCT, "order-1", deductMessage(skuId, 1, "order-1", 3));

            // Then
            awaitShown(skuId, "order-1", "status", "DEDUCTED");
            assertEquals(7, Api.view(skuId).path("ledgerAvailable").longValue());
        }

        @Test
        void whatCannotBeReadIsADeadLetterAndTheNextGoodOneFlows() {
            // Given
            long skuId = Api.newOrderedSku(10, 1);
            deducted(skuId, "order-1", 2);
            long unknown = Api.newSkuId();
            long ofTheLedger = Api.newSku(10, "DB_CONDITIONAL");
            String garbage = "garbage " + skuId;
            String otherType = "{\"v\":1,\"type\":\"OTHER\",\"skuId\":" + skuId + "}";
            String noKey = "{\"v\":1,\"type\":\"ROLLBACK\",\"skuId\":" + skuId + "}";

            // When
            send(Topic.ORDERED, "order-1", garbage);
            send(Topic.ORDERED, "order-1", otherType);
            send(Topic.ORDERED, "order-1", noKey);
            send(Topic.ORDERED, "order-1", rollbackMessage(unknown, "order-1"));
            send(Topic.ORDERED, "order-1", rollbackMessage(ofTheLedger, "order-1"));
            send(Topic.ORDERED, "order-1", deductMessage(skuId, 7, "order-9", 1));
            send(Topic.ORDERED, "order-1", rollbackMessage(skuId, "order-1"));

            // Then
            awaitShown(skuId, "order-1", "status", "ROLLED_BACK");
            awaitDeadLetter(garbage, "not JSON");
            awaitDeadLetter(otherType, "type is neither DEDUCT nor ROLLBACK");
            awaitDeadLetter(noKey, "deductKey must be a string");
            awaitDeadLetter(rollbackMessage(unknown, "order-1"), "There is no SKU " + unknown + ".");
            awaitDeadLetter(rollbackMessage(ofTheLedger, "order-1"), "SKU " + ofTheLedger + " is not sold by the gate");
            awaitDeadLetter(deductMessage(skuId, 7, "order-9", 1), "the ledger has no such bucket");
        }
    }
}
