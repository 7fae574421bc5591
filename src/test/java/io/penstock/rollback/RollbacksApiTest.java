package io.penstock.rollback;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.local.LocalServers;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.penstock.platform.Topic;
import io.quarkus.test.junit.QuarkusTest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** 回滚 over HTTP and by topic: every outcome and its answer. */
@QuarkusTest
class RollbacksApiTest {

    @ConfigProperty(name = "kafka.bootstrap.servers")
    String kafka;

    private static String path(long skuId, String key) {
        return "/v1/skus/" + skuId + "/deductions/" + key;
    }

    private static Answer rollBack(long skuId, String key) {
        return Api.post(path(skuId, key) + "/rollback");
    }

    private static JsonNode show(long skuId, String key) {
        return Api.get(path(skuId, key)).ok(200);
    }

    private static void deducted(long skuId, String key, int qty) {
        Api.deduct(skuId, key, qty).ok(201);
        await().until(() -> show(skuId, key).path("status").textValue().equals("DEDUCTED"));
    }

    private static long sku(long total, String strategy) {
        return switch (strategy) {
            case "REDIS" -> Api.newSku(total, 0);
            case "ORDERED" -> Api.newOrderedSku(total, 0);
            default -> Api.newSku(total, strategy);
        };
    }

    private static long available(long skuId) {
        return Api.view(skuId).path("available").longValue();
    }

    @Nested
    class WhenThereIsADeduction {

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void itIsGivenBack(String strategy) {
            // Given
            long skuId = sku(10, strategy);
            deducted(skuId, "order-1", 2);

            // When
            JsonNode answer = rollBack(skuId, "order-1").ok(200);

            // Then
            assertEquals(Set.of("deductKey", "skuId", "outcome", "bucketNo", "qty"), Api.fields(answer));
            assertAll(
                    () -> assertEquals("order-1", answer.path("deductKey").textValue()),
                    () -> assertEquals(skuId, answer.path("skuId").longValue()),
                    () -> assertEquals("ROLLED_BACK", answer.path("outcome").textValue()),
                    () -> assertEquals(0, answer.path("bucketNo").intValue()),
                    () -> assertEquals(2, answer.path("qty").intValue()));
            JsonNode view = Api.view(skuId);
            assertEquals(10, view.path("available").longValue());
            assertEquals(10, view.path("ledgerAvailable").longValue());
            assertEquals(0, view.path("owed").longValue());
            assertEquals("ROLLED_BACK", show(skuId, "order-1").path("status").textValue());
            assertEquals(2, show(skuId, "order-1").path("version").intValue());
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void againNothingIsGiven(String strategy) {
            // Given
            long skuId = sku(10, strategy);
            deducted(skuId, "order-1", 2);
            rollBack(skuId, "order-1").ok(200);

            // When
            JsonNode again = rollBack(skuId, "order-1").ok(200);

            // Then
            assertEquals(Set.of("deductKey", "skuId", "outcome", "status", "bucketNo", "qty"), Api.fields(again));
            assertEquals("ALREADY_ROLLED_BACK", again.path("outcome").textValue());
            assertEquals("ROLLED_BACK", again.path("status").textValue());
            assertEquals(0, again.path("bucketNo").intValue());
            assertEquals(2, again.path("qty").intValue());
            assertEquals(10, available(skuId));
        }

        @Test
        void theRecordedBucketWinsOverTheHint() {
            // Given
            long skuId = Api.newSku(10, 2);
            int bucketNo =
                    Api.deduct(skuId, "order-1", 2).ok(201).path("bucketNo").intValue();
            await().until(() ->
                    show(skuId, "order-1").path("status").textValue().equals("DEDUCTED"));

            // When
            JsonNode answer = Api.post(
                            path(skuId, "order-1") + "/rollback",
                            "{\"bucketNo\":" + (3 - bucketNo) + ",\"reason\":\"order cancelled 取消\"}")
                    .ok(200);

            // Then
            assertEquals(bucketNo, answer.path("bucketNo").intValue());
            assertEquals(
                    5,
                    Api.view(skuId)
                            .path("buckets")
                            .path(bucketNo - 1)
                            .path("stock")
                            .longValue());
        }

        @Test
        void anEmptyObjectIsAsGoodAsNoBody() {
            // Given
            long skuId = Api.newSku(10, 2);
            deducted(skuId, "order-1", 2);

            // When
            Answer answer = Api.post(path(skuId, "order-1") + "/rollback", "{}");

            // Then
            assertEquals("ROLLED_BACK", answer.ok(200).path("outcome").textValue());
        }

        @Test
        void ofNoBodyTheMediaTypeDoesNotMatter() {
            // Given
            long skuId = Api.newSku(10, 0);
            deducted(skuId, "order-1", 2);

            // When
            String answer = Api.raw("POST", path(skuId, "order-1") + "/rollback", "Content-Type: text/plain");

            // Then
            assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
            assertEquals("ROLLED_BACK", show(skuId, "order-1").path("status").textValue());
        }

        @Test
        void keysThatDifferInCaseAreTwo() {
            // Given
            long skuId = Api.newSku(10, 0);
            deducted(skuId, "order-1", 2);

            // When
            JsonNode other = rollBack(skuId, "ORDER-1").ok(200);

            // Then
            assertEquals("CANCELLED", other.path("outcome").textValue());
            assertEquals("DEDUCTED", show(skuId, "order-1").path("status").textValue());
            assertEquals(8, available(skuId));
        }
    }

    @Nested
    class WhenThereIsNoDeduction {

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void theKeyIsCancelled(String strategy) {
            // Given
            long skuId = sku(10, strategy);

            // When
            JsonNode answer = rollBack(skuId, "order-1").ok(200);
            JsonNode again = rollBack(skuId, "order-1").ok(200);

            // Then
            assertEquals(Set.of("deductKey", "skuId", "outcome"), Api.fields(answer));
            assertEquals("CANCELLED", answer.path("outcome").textValue());
            assertEquals(answer, again);
            assertEquals(10, available(skuId));
            assertEquals("CANCELLED", show(skuId, "order-1").path("status").textValue());
        }
    }

    @Nested
    class WhenTheLedgerDoesNotKnowTheDeductionYet {

        /** Whichever of the two the ledger sees first, the units go back once. */
        @Test
        void theUnitsGoBackOnce() {
            // Given
            long skuId = Api.newSku(10, 3);
            for (int i = 0; i < 20; i++) {
                String key = "order-" + i;
                Api.deduct(skuId, key, 1);

                // When
                Answer answer = rollBack(skuId, key);

                // Then
                String outcome = answer.ok(200).path("outcome").textValue();
                assertTrue(Set.of("ROLLED_BACK", "CANCELLED").contains(outcome), answer.text());
                assertEquals(1, answer.json().path("qty").intValue());
                assertEquals(outcome, show(skuId, key).path("status").textValue());
            }
            await().until(() -> Api.view(skuId).path("pending").longValue() == 0);
            JsonNode view = Api.view(skuId);
            assertEquals(10, view.path("available").longValue());
            assertEquals(10, view.path("ledgerAvailable").longValue());
        }
    }

    @Nested
    class WhenRedisIsAway {

        @Test
        void theCreditIsOwedAndGivenLater() {
            // Given
            long skuId = Api.newSku(10, 1);
            deducted(skuId, "order-1", 2);
            Answer answer;
            LocalServers.forTests().redis().pause();

            // When
            try {
                answer = rollBack(skuId, "order-1");
            } finally {
                LocalServers.forTests().redis().resume();
            }

            // Then
            JsonNode body = answer.ok(202);
            assertEquals(Set.of("deductKey", "skuId", "outcome"), Api.fields(body));
            assertEquals("COMPENSATING", body.path("outcome").textValue());
            assertTrue(answer.header("Location").endsWith(path(skuId, "order-1")), answer.header("Location"));
            JsonNode shown = show(skuId, "order-1");
            assertEquals("ROLLED_BACK", shown.path("status").textValue());
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() ->
                            show(skuId, "order-1").path("credit").textValue().equals("DONE"));
            await().until(() -> available(skuId) == 10);
            assertEquals(
                    "ALREADY_ROLLED_BACK",
                    rollBack(skuId, "order-1").ok(200).path("outcome").textValue());
            assertEquals(10, available(skuId));
        }
    }

    @Nested
    class WhenItIsAskedByTopic {

        private void send(String key, String value) {
            try (KafkaProducer<String, byte[]> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", kafka), new StringSerializer(), new ByteArraySerializer())) {
                producer.send(new ProducerRecord<>(Topic.Name.ROLLBACK, key, value.getBytes(StandardCharsets.UTF_8)));
                producer.flush();
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void theDeductionIsGivenBackOnce(String strategy) {
            // Given
            long skuId = sku(10, strategy);
            deducted(skuId, "order-1", 2);
            String message = "{\"v\":1,\"deductKey\":\"order-1\",\"skuId\":" + skuId
                    + ",\"bucketNo\":0,\"reason\":\"cancelled\",\"new\":1}";

            // When
            send("order-1", message);
            send("order-1", message);

            // Then
            await().until(() ->
                    show(skuId, "order-1").path("status").textValue().equals("ROLLED_BACK"));
            await().until(() -> available(skuId) == 10);
            assertEquals(
                    "ALREADY_ROLLED_BACK",
                    rollBack(skuId, "order-1").ok(200).path("outcome").textValue());
            assertEquals(10, available(skuId));
        }

        @Test
        void whatCannotBeReadDoesNotStopTheNext() {
            // Given
            long skuId = Api.newSku(10, 1);
            deducted(skuId, "order-1", 2);

            // When
            send("order-1", "{\"v\":1,\"deductKey\":\"order-1\",\"skuId\":\"x\"}");
            send("order-1", "{\"v\":1,\"deductKey\":\"order-1\",\"skuId\":" + Api.newSkuId() + "}");
            send("order-1", "{\"v\":2,\"deductKey\":\"order-1\",\"skuId\":" + skuId + "}");
            send("order-1", "{\"v\":1,\"deductKey\":\"order-2\",\"skuId\":" + skuId + "}");

            // Then
            await().until(() -> Api.get(path(skuId, "order-2")).status() == 200);
            assertEquals("CANCELLED", show(skuId, "order-2").path("status").textValue());
            assertEquals("DEDUCTED", show(skuId, "order-1").path("status").textValue());
        }
    }
}
