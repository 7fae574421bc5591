package io.penstock.deduction;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.local.LocalServers;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.penstock.platform.ProblemType;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** 扣减 over HTTP: every code and its answer, whichever way the SKU is sold. */
@QuarkusTest
class DeductionsApiTest {

    private static final Set<String> DEDUCTED = Set.of("deductKey", "skuId", "bucketNo", "qty", "code", "outcome");
    private static final Set<String> PROBLEM = Set.of("type", "title", "status", "detail", "instance", "code");

    @Inject
    DataSource ledger;

    private static String path(long skuId, String key) {
        return "/v1/skus/" + skuId + "/deductions/" + key;
    }

    private static String status(long skuId, String key) {
        return Api.get(path(skuId, key)).ok(200).path("status").textValue();
    }

    private static long sku(long total, String strategy) {
        return switch (strategy) {
            case "REDIS" -> Api.newSku(total, 0);
            case "ORDERED" -> Api.newOrderedSku(total, 0);
            default -> Api.newSku(total, strategy);
        };
    }

    private static Set<String> and(Set<String> fields, String another) {
        Set<String> all = new HashSet<>(fields);
        all.add(another);
        return all;
    }

    @Nested
    class WhateverSells {

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void units(String strategy) {
            // Given
            long skuId = sku(10, strategy);

            // When
            Answer answer = Api.post(
                    "/v1/skus/" + skuId + "/deductions",
                    "{\"deductKey\":\"order-1\",\"qty\":2,\"userId\":\"u-7\",\"traceId\":\"t-9\"}");

            // Then
            JsonNode body = answer.ok(201);
            assertEquals(DEDUCTED, Api.fields(body));
            assertAll(
                    () -> assertEquals("order-1", body.path("deductKey").textValue()),
                    () -> assertEquals(skuId, body.path("skuId").longValue()),
                    () -> assertEquals(0, body.path("bucketNo").intValue()),
                    () -> assertTrue(body.path("bucketNo").isInt()),
                    () -> assertEquals(2, body.path("qty").intValue()),
                    () -> assertEquals(3, body.path("code").intValue()),
                    () -> assertEquals("DEDUCTED", body.path("outcome").textValue()),
                    () -> assertTrue(
                            answer.header("Location").endsWith(path(skuId, "order-1")), answer.header("Location")));
            Api.get(path(skuId, "order-1")).ok(200);
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void theLastUnit(String strategy) {
            // Given
            long skuId = sku(10, strategy);

            // When
            Answer answer = Api.deduct(skuId, "order-1", 10);

            // Then
            JsonNode body = answer.ok(201);
            assertEquals(DEDUCTED, Api.fields(body));
            assertEquals(2, body.path("code").intValue());
            assertEquals("DEDUCTED_LAST", body.path("outcome").textValue());
            assertTrue(answer.header("Location").endsWith(path(skuId, "order-1")));
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void aKeyOnce(String strategy) {
            // Given
            long skuId = sku(10, strategy);
            Api.deduct(skuId, "order-1", 2).ok(201);

            // When
            Answer again = Api.deduct(skuId, "order-1", 2);

            // Then
            JsonNode body = again.ok(200);
            assertEquals(DEDUCTED, Api.fields(body));
            assertEquals(0, body.path("code").intValue());
            assertEquals("DUPLICATE", body.path("outcome").textValue());
            assertEquals(2, body.path("qty").intValue());
            assertEquals(0, body.path("bucketNo").intValue());
            assertNull(again.header("Location"));
            assertEquals(8, Api.view(skuId).path("available").longValue());
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void nothingToAKeyOfAnotherQuantity(String strategy) {
            // Given
            long skuId = sku(10, strategy);
            Api.deduct(skuId, "order-1", 2).ok(201);

            // When
            JsonNode problem = Api.deduct(skuId, "order-1", 3).problem(ProblemType.DEDUCT_KEY_REUSED);

            // Then
            assertEquals(PROBLEM, Api.fields(problem));
            assertEquals(4, problem.path("code").intValue());
            assertEquals(8, Api.view(skuId).path("available").longValue());
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void notMoreThanThereIs(String strategy) {
            // Given
            long skuId = sku(10, strategy);

            // When
            JsonNode some = Api.deduct(skuId, "order-1", 11).problem(ProblemType.INSUFFICIENT_STOCK);
            Api.deduct(skuId, "order-2", 10).ok(201);
            JsonNode none = Api.deduct(skuId, "order-1", 11).problem(ProblemType.INSUFFICIENT_STOCK);

            // Then
            assertEquals(and(PROBLEM, "soldOut"), Api.fields(some));
            assertEquals(1, some.path("code").intValue());
            assertTrue(some.path("soldOut").isBoolean());
            assertEquals(false, some.path("soldOut").booleanValue());
            assertEquals(and(PROBLEM, "soldOut"), Api.fields(none));
            assertEquals(1, none.path("code").intValue());
            assertEquals(true, none.path("soldOut").booleanValue());
            Api.get(path(skuId, "order-1")).problem(ProblemType.UNKNOWN_DEDUCTION);
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void nothingToAKeyThatWasRolledBack(String strategy) {
            // Given
            long skuId = sku(10, strategy);
            Api.deduct(skuId, "order-1", 2).ok(201);
            await().until(() -> status(skuId, "order-1").equals("DEDUCTED"));
            Api.post(path(skuId, "order-1") + "/rollback").ok(200);

            // When
            JsonNode problem = Api.deduct(skuId, "order-1", 2).problem(ProblemType.DEDUCTION_FINISHED);

            // Then
            assertEquals(and(PROBLEM, "finished"), Api.fields(problem));
            assertEquals(5, problem.path("code").intValue());
            assertEquals("ROLLED_BACK", problem.path("finished").textValue());
            assertEquals(10, Api.view(skuId).path("available").longValue());
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void nothingToAKeyThatWasCancelled(String strategy) {
            // Given
            long skuId = sku(10, strategy);
            Api.post(path(skuId, "order-1") + "/rollback").ok(200);

            // When
            JsonNode problem = Api.deduct(skuId, "order-1", 2).problem(ProblemType.DEDUCTION_FINISHED);

            // Then
            assertEquals(and(PROBLEM, "finished"), Api.fields(problem));
            assertEquals(5, problem.path("code").intValue());
            assertEquals("CANCELLED", problem.path("finished").textValue());
            assertEquals(10, Api.view(skuId).path("available").longValue());
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void toKeysThatDifferInCaseAloneTwice(String strategy) {
            // Given
            long skuId = sku(10, strategy);

            // When
            Api.deduct(skuId, "Order-1", 2).ok(201);
            Api.deduct(skuId, "order-1", 3).ok(201);

            // Then
            assertEquals(5, Api.view(skuId).path("available").longValue());
            assertEquals(2, Api.get(path(skuId, "Order-1")).ok(200).path("qty").intValue());
            assertEquals(3, Api.get(path(skuId, "order-1")).ok(200).path("qty").intValue());
            Api.get(path(skuId, "ORDER-1")).problem(ProblemType.UNKNOWN_DEDUCTION);
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void anOrderOfTwoSkusFromBoth(String strategy) {
            // Given
            long one = sku(10, strategy);
            long other = sku(10, strategy);

            // When
            Api.deduct(one, "order-1", 2).ok(201);
            Api.deduct(other, "order-1", 3).ok(201);
            await().until(() -> status(one, "order-1").equals("DEDUCTED")
                    && status(other, "order-1").equals("DEDUCTED"));
            Api.post(path(one, "order-1") + "/rollback").ok(200);

            // Then
            assertEquals("ROLLED_BACK", status(one, "order-1"));
            assertEquals("DEDUCTED", status(other, "order-1"));
            assertEquals(10, Api.view(one).path("available").longValue());
            assertEquals(7, Api.view(other).path("available").longValue());
        }

        @ParameterizedTest
        @ValueSource(strings = {"REDIS", "ORDERED", "DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void theWidestKeyAndQuantity(String strategy) {
            // Given
            long skuId = sku(1_000_000, strategy);
            String key = "9.a_B:c-" + "x".repeat(56);

            // When
            JsonNode body = Api.deduct(skuId, key, 1_000_000).ok(201);

            // Then
            assertEquals(key, body.path("deductKey").textValue());
            assertEquals(2, body.path("code").intValue());
            assertEquals(
                    key, Api.get(path(skuId, key)).ok(200).path("deductKey").textValue());
        }
    }

    @Nested
    class WhenADeductionIsShown {

        private static final Set<String> FIELDS = Set.of(
                "deductKey",
                "skuId",
                "bucketNo",
                "qty",
                "status",
                "credit",
                "version",
                "createdAt",
                "updatedAt",
                "movedTo");

        @Test
        void itIsAcceptedThenDeductedThenRolledBack() throws SQLException {
            // Given
            long skuId = Api.newSku(10, 3);

            // When
            int bucketNo;
            JsonNode accepted;
            try (Connection connection = ledger.getConnection()) {
                lockBuckets(connection, skuId);
                bucketNo =
                        Api.deduct(skuId, "order-1", 2).ok(201).path("bucketNo").intValue();
                accepted = Api.get(path(skuId, "order-1")).ok(200);
                connection.rollback();
            }
            await().until(() -> status(skuId, "order-1").equals("DEDUCTED"));
            JsonNode deducted = Api.get(path(skuId, "order-1")).ok(200);
            Api.post(path(skuId, "order-1") + "/rollback").ok(200);
            JsonNode rolledBack = Api.get(path(skuId, "order-1")).ok(200);

            // Then
            assertEquals(FIELDS, Api.fields(accepted));
            assertAll(
                    () -> assertEquals("ACCEPTED", accepted.path("status").textValue()),
                    () -> assertEquals(bucketNo, accepted.path("bucketNo").intValue()),
                    () -> assertEquals(2, accepted.path("qty").intValue()),
                    () -> assertEquals("NONE", accepted.path("credit").textValue()),
                    () -> assertEquals(0, accepted.path("version").intValue()),
                    () -> assertTrue(accepted.path("createdAt").isNull()),
                    () -> assertTrue(accepted.path("updatedAt").isNull()),
                    () -> assertTrue(accepted.path("movedTo").isNull()));
            assertEquals(FIELDS, Api.fields(deducted));
            assertAll(
                    () -> assertEquals("order-1", deducted.path("deductKey").textValue()),
                    () -> assertEquals(skuId, deducted.path("skuId").longValue()),
                    () -> assertEquals(bucketNo, deducted.path("bucketNo").intValue()),
                    () -> assertEquals(2, deducted.path("qty").intValue()),
                    () -> assertEquals("NONE", deducted.path("credit").textValue()),
                    () -> assertEquals(1, deducted.path("version").intValue()),
                    () -> assertTrue(deducted.path("movedTo").isNull()));
            assertIsNow(deducted.path("createdAt"));
            assertIsNow(deducted.path("updatedAt"));
            assertEquals(FIELDS, Api.fields(rolledBack));
            assertAll(
                    () -> assertEquals("ROLLED_BACK", rolledBack.path("status").textValue()),
                    () -> assertEquals("DONE", rolledBack.path("credit").textValue()),
                    () -> assertEquals(2, rolledBack.path("version").intValue()),
                    () -> assertEquals(bucketNo, rolledBack.path("bucketNo").intValue()),
                    () -> assertEquals(2, rolledBack.path("qty").intValue()),
                    () -> assertEquals(deducted.path("createdAt"), rolledBack.path("createdAt")));
        }

        /** Until the end of the transaction nothing of the SKU is settled. */
        private static void lockBuckets(Connection connection, long skuId) throws SQLException {
            connection.setAutoCommit(false);
            try (PreparedStatement lock =
                    connection.prepareStatement("SELECT available FROM sku_bucket WHERE sku_id = ? FOR UPDATE")) {
                lock.setLong(1, skuId);
                lock.executeQuery();
            }
        }

        /** ISO 8601 in UTC, on the ledger's clock. */
        private static void assertIsNow(JsonNode instant) {
            assertTrue(instant.textValue().endsWith("Z"), instant.toString());
            Duration age = Duration.between(Instant.parse(instant.textValue()), Instant.now());
            assertTrue(age.abs().compareTo(Duration.ofMinutes(10)) < 0, instant.toString());
        }

        @Test
        void ofACancelledOneBucketAndQuantityAreUnknown() {
            // Given
            long skuId = Api.newSku(10, 3);
            Api.post(path(skuId, "order-1") + "/rollback").ok(200);

            // When
            JsonNode cancelled = Api.get(path(skuId, "order-1")).ok(200);

            // Then
            assertEquals(FIELDS, Api.fields(cancelled));
            assertAll(
                    () -> assertEquals("CANCELLED", cancelled.path("status").textValue()),
                    () -> assertTrue(cancelled.path("bucketNo").isNull()),
                    () -> assertTrue(cancelled.path("qty").isNull()),
                    () -> assertEquals("DONE", cancelled.path("credit").textValue()),
                    () -> assertEquals(2, cancelled.path("version").intValue()));
        }

        @Test
        void anotherSkusKeyIsUnknown() {
            // Given
            long skuId = Api.newSku(10, 3);
            long other = Api.newSku(10, 3);
            Api.deduct(other, "order-1", 1).ok(201);

            // Then
            Api.get(path(skuId, "order-1")).problem(ProblemType.UNKNOWN_DEDUCTION);
        }
    }

    @Nested
    class WhenASkuHasBuckets {

        @Test
        void aUserStaysWithItsBucket() {
            // Given
            long skuId = Api.newSku(1000, 8);
            Set<Integer> buckets = new HashSet<>();

            // When
            for (int i = 0; i < 10; i++) {
                buckets.add(Api.post(
                                "/v1/skus/" + skuId + "/deductions",
                                "{\"deductKey\":\"order-" + i + "\",\"qty\":1,\"userId\":\"u-7\"}")
                        .ok(201)
                        .path("bucketNo")
                        .intValue());
            }

            // Then
            assertEquals(1, buckets.size(), buckets.toString());
        }

        @Test
        void orderNumbersSpreadOverThem() {
            // Given
            long skuId = Api.newSku(1000, 4);
            Set<Integer> buckets = new HashSet<>();

            // When
            for (int i = 0; i < 40; i++) {
                buckets.add(Api.deduct(skuId, "order-" + i, 1)
                        .ok(201)
                        .path("bucketNo")
                        .intValue());
            }

            // Then
            assertEquals(Set.of(1, 2, 3, 4), buckets);
        }

        @Test
        void theLastUnitsAreFoundWhereverTheyAre() {
            // Given
            long skuId = Api.newSku(4, 4);

            // When
            for (int i = 0; i < 4; i++) {
                assertEquals(
                        2,
                        Api.post(
                                        "/v1/skus/" + skuId + "/deductions",
                                        "{\"deductKey\":\"order-" + i + "\",\"qty\":1,\"userId\":\"u-7\"}")
                                .ok(201)
                                .path("code")
                                .intValue());
            }

            // Then
            JsonNode problem = Api.deduct(skuId, "order-9", 1).problem(ProblemType.INSUFFICIENT_STOCK);
            assertEquals(true, problem.path("soldOut").booleanValue());
        }

        @Test
        void aSpilledKeyIsADuplicateToo() {
            // Given
            long skuId = Api.newSku(2, 2);
            String first = "{\"deductKey\":\"order-1\",\"qty\":1,\"userId\":\"u-7\"}";
            String second = "{\"deductKey\":\"order-2\",\"qty\":1,\"userId\":\"u-7\"}";
            String deductions = "/v1/skus/" + skuId + "/deductions";
            Api.post(deductions, first).ok(201);
            int bucketNo = Api.post(deductions, second).ok(201).path("bucketNo").intValue();

            // When
            JsonNode again = Api.post(deductions, second).ok(200);

            // Then
            assertEquals(0, again.path("code").intValue());
            assertEquals(bucketNo, again.path("bucketNo").intValue());
        }

        @Test
        void unitsInAnotherBucketAreNotSoldOut() {
            // Given
            long skuId = Api.newSku(2, 2);

            // When
            JsonNode problem = Api.deduct(skuId, "order-1", 3).problem(ProblemType.INSUFFICIENT_STOCK);

            // Then
            assertEquals(false, problem.path("soldOut").booleanValue());
        }
    }

    @Nested
    class WhenTheSaleIsPaused {

        @ParameterizedTest
        @ValueSource(strings = {"DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void theLedgerSellsToNoNewKey(String strategy) throws SQLException {
            // Given
            long skuId = Api.newSku(10, strategy);
            Api.deduct(skuId, "order-1", 2).ok(201);
            try (Connection connection = ledger.getConnection();
                    PreparedStatement pause =
                            connection.prepareStatement("UPDATE sku SET sale = 'PAUSED' WHERE sku_id = ?")) {
                pause.setLong(1, skuId);
                pause.executeUpdate();
            }

            // When
            JsonNode problem = Api.deduct(skuId, "order-2", 2).problem(ProblemType.SALE_PAUSED);

            // Then
            assertEquals(PROBLEM, Api.fields(problem));
            assertEquals(7, problem.path("code").intValue());
            assertEquals("PAUSED", Api.view(skuId).path("sale").textValue());
            Api.deduct(skuId, "order-1", 2).ok(200);
            Api.post(path(skuId, "order-1") + "/rollback").ok(200);
        }
    }

    @Nested
    class WhenAServerIsAway {

        @Test
        void withoutRedisNothingIsKnownAndTheSameKeyDecidesLater() {
            // Given
            long skuId = Api.newSku(10, 1);
            Answer answer;
            LocalServers.forTests().redis().pause();

            // When
            try {
                answer = Api.deduct(skuId, "order-1", 2);
            } finally {
                LocalServers.forTests().redis().resume();
            }

            // Then
            answer.problem(ProblemType.UNAVAILABLE);
            assertTrue(Integer.parseInt(answer.header("Retry-After")) > 0);
            await().until(() -> Api.deduct(skuId, "order-1", 2).status() < 300);
            assertEquals(8, Api.view(skuId).path("available").longValue());
        }

        @Test
        void withoutTheLedgerASkuOfTheLedgerIsUnavailable() {
            // Given
            long skuId = Api.newSku(10, "DB_CONDITIONAL");
            Answer answer;
            LocalServers.forTests().ledger().pause();

            // When
            try {
                answer = Api.deduct(skuId, "order-1", 2);
            } finally {
                LocalServers.forTests().ledger().resume();
            }

            // Then
            answer.problem(ProblemType.UNAVAILABLE);
            assertTrue(Integer.parseInt(answer.header("Retry-After")) > 0);
            await().until(() -> Api.deduct(skuId, "order-1", 2).status() < 300);
            assertEquals(8, Api.view(skuId).path("available").longValue());
        }
    }
}
