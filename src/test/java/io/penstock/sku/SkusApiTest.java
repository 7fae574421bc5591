package io.penstock.sku;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.penstock.platform.ProblemType;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SKUs over HTTP, as docs and clients have them. */
@QuarkusTest
class SkusApiTest {

    @Inject
    Redis redis;

    private Response redis(Command command, String... args) {
        Request request = Request.cmd(command);
        for (String arg : args) {
            request.arg(arg);
        }
        return redis.send(request).toCompletionStage().toCompletableFuture().join();
    }

    private String redisGet(String key) {
        Response value = redis(Command.GET, key);
        return value == null ? null : value.toString();
    }

    private static String stockKey(long skuId, int bucketNo) {
        return "hot_{" + skuId + "-SKU_A" + (bucketNo == 0 ? "" : "_B" + bucketNo) + "}_stock";
    }

    private static Answer define(long skuId, String fields) {
        return Api.put("/v1/skus/" + skuId, "{" + fields + "}");
    }

    private static List<Long> each(JsonNode view, String field) {
        List<Long> values = new ArrayList<>();
        view.path("buckets").forEach(bucket -> values.add(bucket.path(field).longValue()));
        return values;
    }

    private static long sum(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).sum();
    }

    private static void settled(long skuId, long sold) {
        await().until(() -> {
            JsonNode view = Api.view(skuId);
            return view.path("sold").longValue() == sold && view.path("pending").longValue() == 0;
        });
    }

    @Nested
    class WhenASkuIsDefined {

        private static final String DEFINITION = "\"skuCode\":\"SKU_A\",\"total\":10000,\"buckets\":5";

        @Test
        void itIsCreatedAndLoaded() {
            // Given
            long skuId = Api.newSkuId();

            // When
            JsonNode view = define(skuId, DEFINITION).ok(201);

            // Then
            assertEquals(
                    Set.of(
                            "skuId",
                            "skuCode",
                            "total",
                            "strategy",
                            "ordering",
                            "sale",
                            "available",
                            "ledgerAvailable",
                            "pending",
                            "sold",
                            "owed",
                            "moving",
                            "fragmentation",
                            "buckets"),
                    Api.fields(view));
            assertAll(
                    () -> assertEquals(skuId, view.path("skuId").longValue()),
                    () -> assertEquals("SKU_A", view.path("skuCode").textValue()),
                    () -> assertEquals(10_000, view.path("total").longValue()),
                    () -> assertEquals("REDIS", view.path("strategy").textValue()),
                    () -> assertEquals("SPLIT", view.path("ordering").textValue()),
                    () -> assertEquals("OPEN", view.path("sale").textValue()),
                    () -> assertEquals(10_000, view.path("available").longValue()),
                    () -> assertEquals(10_000, view.path("ledgerAvailable").longValue()),
                    () -> assertTrue(view.path("pending").isIntegralNumber()),
                    () -> assertEquals(0, view.path("pending").longValue()),
                    () -> assertEquals(0, view.path("sold").longValue()),
                    () -> assertEquals(0, view.path("owed").longValue()),
                    () -> assertEquals(0, view.path("moving").longValue()),
                    () -> assertEquals(0.0, view.path("fragmentation").doubleValue()),
                    () -> assertEquals(5, view.path("buckets").size()));
            JsonNode bucket = view.path("buckets").path(0);
            assertEquals(
                    Set.of(
                            "bucketNo",
                            "state",
                            "loaded",
                            "allotment",
                            "stock",
                            "deductions",
                            "ledgerAvailable",
                            "slot",
                            "node"),
                    Api.fields(bucket));
            assertAll(
                    () -> assertEquals(1, bucket.path("bucketNo").intValue()),
                    () -> assertEquals("ACTIVE", bucket.path("state").textValue()),
                    () -> assertTrue(bucket.path("loaded").booleanValue()),
                    () -> assertEquals(2000, bucket.path("allotment").longValue()),
                    () -> assertEquals(2000, bucket.path("stock").longValue()),
                    () -> assertTrue(bucket.path("deductions").isIntegralNumber()),
                    () -> assertEquals(0, bucket.path("deductions").longValue()),
                    () -> assertEquals(2000, bucket.path("ledgerAvailable").longValue()),
                    () -> assertTrue(bucket.path("slot").isInt()),
                    () -> assertTrue(bucket.path("node").isNull()));
            assertEquals("2000", redisGet(stockKey(skuId, 5)));
            assertEquals(view, Api.view(skuId));
        }

        @Test
        void theSameAgainIsOk() {
            // Given
            long skuId = Api.newSkuId();
            JsonNode first = define(skuId, DEFINITION).ok(201);

            // When
            JsonNode again = define(
                            skuId,
                            "\"strategy\":\"REDIS\",\"buckets\":5,\"total\":10000,\"skuCode\":\"SKU_A\",\"ordering\":\"SPLIT\"")
                    .ok(200);

            // Then
            assertEquals(first, again);
        }

        @Test
        void theSameAgainIsOkAfterSalesAndAdjustments() {
            // Given
            long skuId = Api.newSkuId();
            define(skuId, DEFINITION).ok(201);
            Api.deduct(skuId, "order-1", 2).ok(201);
            Api.post("/v1/skus/" + skuId + "/adjustments", "{\"adjustmentKey\":\"r-1\",\"delta\":500}")
                    .ok(201);

            // When
            JsonNode again = define(skuId, DEFINITION).ok(200);

            // Then
            assertEquals(10_500, again.path("total").longValue());
            assertEquals(10_498, again.path("available").longValue());
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "\"skuCode\":\"SKU_B\",\"total\":10000,\"buckets\":5",
                    "\"skuCode\":\"sku_a\",\"total\":10000,\"buckets\":5",
                    "\"skuCode\":\"SKU_A\",\"total\":10001,\"buckets\":5",
                    "\"skuCode\":\"SKU_A\",\"total\":10000,\"buckets\":4",
                    "\"skuCode\":\"SKU_A\",\"total\":10000,\"buckets\":0",
                    "\"skuCode\":\"SKU_A\",\"total\":10000,\"buckets\":0,\"strategy\":\"DB_CONDITIONAL\""
                })
        void otherwiseIsAConflict(String other) {
            // Given
            long skuId = Api.newSkuId();
            JsonNode first = define(skuId, DEFINITION).ok(201);

            // When
            Answer answer = define(skuId, other);

            // Then
            answer.problem(ProblemType.SKU_CONFLICT);
            assertEquals(first, Api.view(skuId));
        }

        @Test
        void byAnotherDatabaseStrategyIsAConflict() {
            // Given
            long skuId = Api.newSku(10, "DB_CONDITIONAL");

            // When
            Answer answer =
                    define(skuId, "\"skuCode\":\"SKU_A\",\"total\":10,\"buckets\":0,\"strategy\":\"DB_PESSIMISTIC\"");

            // Then
            answer.problem(ProblemType.SKU_CONFLICT);
        }

        @Test
        void theRemainderGoesToTheFirstBuckets() {
            // When
            JsonNode view = Api.view(Api.newSku(10, 4));

            // Then
            assertEquals(List.of(1L, 2L, 3L, 4L), each(view, "bucketNo"));
            assertEquals(List.of(3L, 3L, 2L, 2L), each(view, "stock"));
            assertEquals(List.of(3L, 3L, 2L, 2L), each(view, "allotment"));
            assertEquals(List.of(3L, 3L, 2L, 2L), each(view, "ledgerAvailable"));
            assertEquals(0.2, view.path("fragmentation").doubleValue(), 1e-9);
        }

        @Test
        void withoutBucketsItHasBucket0AndKeysWithoutASuffix() {
            // When
            long skuId = Api.newSku(10, 0);

            // Then
            assertEquals(List.of(0L), each(Api.view(skuId), "bucketNo"));
            assertEquals("10", redisGet("hot_{" + skuId + "-SKU_A}_stock"));
            assertNull(redisGet("hot_{" + skuId + "-SKU_A_B0}_stock"));
        }

        @Test
        void withoutUnitsItIsLoadedAndEmpty() {
            // When
            long skuId = Api.newSku(0, 2);

            // Then
            JsonNode view = Api.view(skuId);
            assertEquals(0, view.path("available").longValue());
            assertTrue(view.path("available").isIntegralNumber());
            assertEquals("0", redisGet(stockKey(skuId, 1)));
        }

        @Test
        void withFewerUnitsThanBucketsTheLastAreEmpty() {
            assertEquals(List.of(1L, 1L, 0L), each(Api.view(Api.newSku(2, 3)), "stock"));
        }

        @Test
        void inSixtyFourBucketsAllAreLoaded() {
            // When
            JsonNode view = Api.view(Api.newSku(1_000_000_000, 64));

            // Then
            assertEquals(LongStream.rangeClosed(1, 64).boxed().toList(), each(view, "bucketNo"));
            assertEquals(1_000_000_000, sum(each(view, "stock")));
            assertEquals(1_000_000_000, view.path("available").longValue());
        }

        @Test
        void withTheLargestNumberAndTheLongestCodeItIsFine() {
            // Given
            long skuId = SkuId.MAX - 9;
            String code = "Sku.9-" + "x".repeat(26);

            // When
            JsonNode view = define(skuId, "\"skuCode\":\"" + code + "\",\"total\":1,\"buckets\":1")
                    .ok(201);

            // Then
            assertEquals(skuId, view.path("skuId").longValue());
            assertEquals(code, view.path("skuCode").textValue());
        }

        @Test
        void orderedIsShownAndStaysSo() {
            // Given
            long skuId = Api.newSkuId();

            // When
            JsonNode view =
                    define(skuId, DEFINITION + ",\"ordering\":\"ORDERED\"").ok(201);

            // Then
            assertEquals("ORDERED", view.path("ordering").textValue());
            assertEquals("ORDERED", Api.view(skuId).path("ordering").textValue());
            define(skuId, DEFINITION).problem(ProblemType.SKU_CONFLICT);
        }
    }

    @Nested
    class WhenTheLedgerAloneSells {

        @ParameterizedTest
        @ValueSource(strings = {"DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void itsMessagesHaveNoOrder(String strategy) {
            // Given
            long skuId = Api.newSkuId();

            // When
            Answer answer = define(
                    skuId,
                    "\"skuCode\":\"SKU_A\",\"total\":10,\"buckets\":0,\"ordering\":\"ORDERED\",\"strategy\":\""
                            + strategy + "\"");

            // Then
            answer.violation("ordering");
            Api.get("/v1/skus/" + skuId).problem(ProblemType.UNKNOWN_SKU);
        }

        @ParameterizedTest
        @ValueSource(strings = {"DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void theViewHasOneBucketWithTheLedgersNumbers(String strategy) {
            // Given
            long skuId = Api.newSku(10, strategy);
            Api.deduct(skuId, "order-1", 3).ok(201);

            // When
            JsonNode view = Api.view(skuId);

            // Then
            assertAll(
                    () -> assertEquals(strategy, view.path("strategy").textValue()),
                    () -> assertEquals(10, view.path("total").longValue()),
                    () -> assertEquals(7, view.path("available").longValue()),
                    () -> assertEquals(7, view.path("ledgerAvailable").longValue()),
                    () -> assertEquals(3, view.path("sold").longValue()),
                    () -> assertEquals(0, view.path("pending").longValue()),
                    () -> assertTrue(view.path("pending").isIntegralNumber()),
                    () -> assertEquals(0, view.path("owed").longValue()),
                    () -> assertEquals(0, view.path("moving").longValue()),
                    () -> assertEquals(1, view.path("buckets").size()));
            JsonNode bucket = view.path("buckets").path(0);
            assertAll(
                    () -> assertEquals(0, bucket.path("bucketNo").intValue()),
                    () -> assertTrue(bucket.path("loaded").booleanValue()),
                    () -> assertEquals(10, bucket.path("allotment").longValue()),
                    () -> assertEquals(7, bucket.path("stock").longValue()),
                    () -> assertEquals(7, bucket.path("ledgerAvailable").longValue()),
                    () -> assertTrue(bucket.path("slot").isNull()),
                    () -> assertTrue(bucket.path("node").isNull()));
        }

        @Test
        void redisHasNothingOfIt() {
            // Given
            long skuId = Api.newSku(10, "DB_CONDITIONAL");

            // When
            Api.post("/v1/skus/" + skuId + "/warm-up").ok(200);

            // Then
            assertNull(redisGet(stockKey(skuId, 0)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"DB_CONDITIONAL", "DB_PESSIMISTIC"})
        void itIsAdjustedLikeAnyOther(String strategy) {
            // Given
            long skuId = Api.newSku(10, strategy);

            // When
            adjust(skuId, "give", 5).ok(201);
            adjust(skuId, "give", 5).ok(200);
            adjust(skuId, "take", -12).ok(201);
            adjust(skuId, "take", -12).ok(200);
            adjust(skuId, "take", -11).problem(ProblemType.ADJUSTMENT_KEY_REUSED);
            adjust(skuId, "too much", -4).violation("adjustmentKey");
            adjust(skuId, "too-much", -4).problem(ProblemType.INSUFFICIENT_STOCK);

            // Then
            JsonNode view = Api.view(skuId);
            assertEquals(3, view.path("total").longValue());
            assertEquals(3, view.path("available").longValue());
        }
    }

    @Nested
    class WhenSkusAreListed {

        private static final long FIRST = SkuId.MAX - 4;

        private static void threeAtTheEnd() {
            for (long skuId = FIRST; skuId < FIRST + 3; skuId++) {
                define(skuId, "\"skuCode\":\"SKU_A\",\"total\":10,\"buckets\":1");
            }
        }

        private static List<Long> numbers(JsonNode page) {
            List<Long> numbers = new ArrayList<>();
            page.path("items").forEach(sku -> numbers.add(sku.path("skuId").longValue()));
            return numbers;
        }

        @Test
        void nextLeadsFromPageToPage() {
            // Given
            threeAtTheEnd();

            // When
            JsonNode first = Api.get("/v1/skus?limit=2&after=" + (FIRST - 1)).ok(200);
            JsonNode second = Api.get(
                            "/v1/skus?limit=2&after=" + first.path("next").textValue())
                    .ok(200);

            // Then
            assertEquals(Set.of("items", "next"), Api.fields(first));
            assertEquals(List.of(FIRST, FIRST + 1), numbers(first));
            assertEquals(Long.toString(FIRST + 1), first.path("next").textValue());
            assertEquals(List.of(FIRST + 2), numbers(second));
            assertTrue(second.path("next").isNull());
        }

        @Test
        void anItemIsWhatItsOwnViewSays() {
            // Given
            threeAtTheEnd();

            // When
            JsonNode page = Api.get("/v1/skus?after=" + (FIRST - 1)).ok(200);

            // Then
            assertEquals(Api.view(FIRST), page.path("items").path(0));
        }

        @Test
        void nothingIsBehindTheLast() {
            // When
            JsonNode page = Api.get("/v1/skus?limit=1000&after=" + SkuId.MAX).ok(200);

            // Then
            assertEquals(0, page.path("items").size());
            assertTrue(page.path("next").isNull());
        }

        @Test
        void theyAscendFromTheFirst() {
            // Given
            Api.newSku(1, 1);
            Api.newSku(1, 1);

            // When
            List<Long> numbers = numbers(Api.get("/v1/skus").ok(200));

            // Then
            assertEquals(numbers.stream().sorted().toList(), numbers);
            assertTrue(numbers.size() <= 100);
        }
    }

    @Nested
    class WhenABucketIsNotLoaded {

        @Test
        void itsNumbersAreUnknownAndNeverZero() {
            // Given
            long skuId = Api.newSku(10, 2);
            redis(Command.DEL, stockKey(skuId, 1));

            // When
            JsonNode view = Api.view(skuId);

            // Then
            assertTrue(view.path("available").isNull());
            assertTrue(view.path("pending").isNull());
            assertTrue(view.path("fragmentation").isNull());
            assertEquals(10, view.path("ledgerAvailable").longValue());
            JsonNode missing = view.path("buckets").path(0);
            assertAll(
                    () -> assertFalse(missing.path("loaded").booleanValue()),
                    () -> assertTrue(missing.path("allotment").isNull()),
                    () -> assertTrue(missing.path("stock").isNull()),
                    () -> assertTrue(missing.path("deductions").isNull()),
                    () -> assertEquals(5, missing.path("ledgerAvailable").longValue()));
            JsonNode other = view.path("buckets").path(1);
            assertTrue(other.path("loaded").booleanValue());
            assertEquals(5, other.path("stock").longValue());
        }

        @Test
        void warmUpLoadsItWithWhatTheLedgerHas() {
            // Given
            long skuId = Api.newSku(10, 2);
            for (int i = 0; i < 4; i++) {
                Api.deduct(skuId, "order-" + i, 1).ok(201);
            }
            settled(skuId, 4);
            JsonNode before = Api.view(skuId);
            redis(Command.DEL, stockKey(skuId, 1));
            redis(Command.DEL, stockKey(skuId, 2));

            // When
            JsonNode warm = Api.post("/v1/skus/" + skuId + "/warm-up").ok(200);

            // Then
            assertEquals(before, warm);
            assertEquals(6, warm.path("available").longValue());
            assertEquals(0, Api.deduct(skuId, "order-0", 1).ok(200).path("code").intValue());
        }

        @Test
        void theFirstDeductionLoadsIt() {
            // Given
            long skuId = Api.newSku(10, 1);
            redis(Command.DEL, stockKey(skuId, 1));

            // When
            Answer answer = Api.deduct(skuId, "order-1", 4);

            // Then
            answer.ok(201);
            assertEquals("6", redisGet(stockKey(skuId, 1)));
        }
    }

    @Nested
    class WhenASkuIsWarmedUp {

        @Test
        void whatIsLoadedStaysAsItIs() {
            // Given
            long skuId = Api.newSku(10, 2);
            Api.deduct(skuId, "order-1", 3).ok(201);
            settled(skuId, 3);
            JsonNode before = Api.view(skuId);
            redis(Command.DECRBY, stockKey(skuId, 1), "1");

            // When
            Api.post("/v1/skus/" + skuId + "/warm-up").ok(200);
            JsonNode twice = Api.post("/v1/skus/" + skuId + "/warm-up").ok(200);

            // Then
            assertEquals(
                    before.path("buckets").path(0).path("stock").longValue() - 1,
                    twice.path("buckets").path(0).path("stock").longValue());
        }

        @Test
        void aBodyIsNotNeeded() {
            // Given
            long skuId = Api.newSku(10, 2);

            // When
            JsonNode warm = Api.post("/v1/skus/" + skuId + "/warm-up").ok(200);

            // Then
            assertEquals(Api.view(skuId), warm);
        }
    }

    private static Answer adjust(long skuId, String key, long delta) {
        return Api.post(
                "/v1/skus/" + skuId + "/adjustments", "{\"adjustmentKey\":\"" + key + "\",\"delta\":" + delta + "}");
    }

    @Nested
    class WhenUnitsAreGiven {

        @Test
        void theyAreSpreadOverTheBuckets() {
            // Given
            long skuId = Api.newSku(10, 2);

            // When
            JsonNode adjusted = adjust(skuId, "r-1", 500).ok(201);

            // Then
            assertEquals(Set.of("adjustmentKey", "skuId", "delta", "outcome"), Api.fields(adjusted));
            assertEquals("r-1", adjusted.path("adjustmentKey").textValue());
            assertEquals(skuId, adjusted.path("skuId").longValue());
            assertEquals(500, adjusted.path("delta").longValue());
            assertEquals("ADJUSTED", adjusted.path("outcome").textValue());
            JsonNode view = Api.view(skuId);
            assertEquals(510, view.path("total").longValue());
            assertEquals(510, view.path("available").longValue());
            assertEquals(510, view.path("ledgerAvailable").longValue());
            assertEquals(0, view.path("moving").longValue());
            assertEquals(List.of(255L, 255L), each(view, "stock"));
            assertEquals(List.of(255L, 255L), each(view, "allotment"));
        }

        @Test
        void theSameAgainGivesNothing() {
            // Given
            long skuId = Api.newSku(10, 2);
            adjust(skuId, "r-1", 500).ok(201);

            // When
            JsonNode again = adjust(skuId, "r-1", 500).ok(200);

            // Then
            assertEquals("ADJUSTED_BEFORE", again.path("outcome").textValue());
            assertEquals(510, Api.view(skuId).path("available").longValue());
        }

        @Test
        void anotherDeltaByTheSameKeyIsRefused() {
            // Given
            long skuId = Api.newSku(10, 2);
            adjust(skuId, "r-1", 500).ok(201);

            // When
            adjust(skuId, "r-1", 501).problem(ProblemType.ADJUSTMENT_KEY_REUSED);
            adjust(skuId, "r-1", -500).problem(ProblemType.ADJUSTMENT_KEY_REUSED);

            // Then
            assertEquals(510, Api.view(skuId).path("available").longValue());
        }

        @Test
        void aKeyIsOfOneSku() {
            // Given
            long one = Api.newSku(10, 1);
            long other = Api.newSku(10, 1);
            adjust(one, "r-1", 1).ok(201);

            // When
            Answer answer = adjust(other, "r-1", 2);

            // Then
            answer.ok(201);
            assertEquals(12, Api.view(other).path("available").longValue());
        }

        @Test
        void notMoreThanASkuMayHold() {
            // Given
            long skuId = Api.newSku(10, 2);

            // When
            adjust(skuId, "r-1", 999_999_991).violation("delta");

            // Then
            assertEquals(10, Api.view(skuId).path("total").longValue());
            adjust(skuId, "r-1", 999_999_990).ok(201);
            assertEquals(1_000_000_000, Api.view(skuId).path("available").longValue());
        }

        @Test
        void aMissingBucketIsLoadedFirst() {
            // Given
            long skuId = Api.newSku(10, 1);
            redis(Command.DEL, stockKey(skuId, 1));

            // When
            adjust(skuId, "r-1", 5).ok(201);

            // Then
            assertEquals("15", redisGet(stockKey(skuId, 1)));
        }
    }

    @Nested
    class WhenUnitsAreTaken {

        @Test
        void theyMayComeFromSeveralBuckets() {
            // Given
            long skuId = Api.newSku(10, 4);

            // When
            adjust(skuId, "r-1", -7).ok(201);
            adjust(skuId, "r-1", -7).ok(200);

            // Then
            JsonNode view = Api.view(skuId);
            assertEquals(3, view.path("total").longValue());
            assertEquals(3, view.path("available").longValue());
            assertEquals(3, view.path("ledgerAvailable").longValue());
            assertEquals(0, view.path("moving").longValue());
            assertEquals(each(view, "stock"), each(view, "ledgerAvailable"));
            assertEquals(each(view, "stock"), each(view, "allotment"));
        }

        @Test
        void allOfThemMayGo() {
            // Given
            long skuId = Api.newSku(10, 4);

            // When
            adjust(skuId, "r-1", -10).ok(201);

            // Then
            assertEquals(0, Api.view(skuId).path("available").longValue());
            Api.deduct(skuId, "order-1", 1).problem(ProblemType.INSUFFICIENT_STOCK);
        }

        @Test
        void moreThanIsLeftIsRefusedAndEverythingIsBack() {
            // Given
            long skuId = Api.newSku(10, 4);
            JsonNode before = Api.view(skuId);

            // When
            Answer refused = adjust(skuId, "r-1", -11);

            // Then
            refused.problem(ProblemType.INSUFFICIENT_STOCK);
            assertEquals(before, Api.view(skuId));
            adjust(skuId, "r-1", -11).problem(ProblemType.INSUFFICIENT_STOCK);
            adjust(skuId, "r-1", -1).problem(ProblemType.ADJUSTMENT_KEY_REUSED);
            assertEquals(before, Api.view(skuId));
        }

        @Test
        void whatIsSoldIsNotTaken() {
            // Given
            long skuId = Api.newSku(10, 2);
            Api.deduct(skuId, "order-1", 4).ok(201);

            // When
            adjust(skuId, "r-1", -7).problem(ProblemType.INSUFFICIENT_STOCK);
            adjust(skuId, "r-2", -6).ok(201);

            // Then
            settled(skuId, 4);
            JsonNode view = Api.view(skuId);
            assertEquals(4, view.path("total").longValue());
            assertEquals(0, view.path("available").longValue());
        }
    }

    @Nested
    class WhenTheStockIsExported {

        @Test
        void itIsALinePerKeySortedAsText() {
            // Given
            long bucketed = Api.newSku(10, 3);
            long unbucketed = Api.newSku(7, 0);
            long ofTheLedger = Api.newSku(7, "DB_CONDITIONAL");
            redis(Command.DEL, stockKey(bucketed, 2));

            // When
            Answer export = Api.get("/v1/export/redis-stock");

            // Then
            assertEquals(200, export.status());
            assertEquals("text/plain", export.header("Content-Type").split(";")[0]);
            assertTrue(export.text().endsWith("\n"));
            List<String> lines = export.text().lines().toList();
            assertEquals(lines.stream().sorted().toList(), lines);
            assertTrue(lines.contains(stockKey(bucketed, 1) + " 4"));
            assertTrue(lines.contains(stockKey(bucketed, 3) + " 3"));
            assertTrue(lines.contains("hot_{" + unbucketed + "-SKU_A}_stock 7"));
            assertFalse(export.text().contains(stockKey(bucketed, 2)));
            assertFalse(export.text().contains(Long.toString(ofTheLedger)));
        }
    }

    @Nested
    class WhenASkuIsUnknown {

        @Test
        void everyCallSaysSo() {
            // Given
            String path = "/v1/skus/" + Api.newSkuId();

            // Then
            Api.get(path).problem(ProblemType.UNKNOWN_SKU);
            Api.post(path + "/warm-up").problem(ProblemType.UNKNOWN_SKU);
            Api.post(path + "/adjustments", "{\"adjustmentKey\":\"r-1\",\"delta\":1}")
                    .problem(ProblemType.UNKNOWN_SKU);
            Api.post(path + "/adjustments", "{\"adjustmentKey\":\"r-1\",\"delta\":-1}")
                    .problem(ProblemType.UNKNOWN_SKU);
            Api.post(path + "/deductions", "{\"deductKey\":\"order-1\",\"qty\":1}")
                    .problem(ProblemType.UNKNOWN_SKU);
            Api.get(path + "/deductions/order-1").problem(ProblemType.UNKNOWN_SKU);
            Api.post(path + "/deductions/order-1/rollback").problem(ProblemType.UNKNOWN_SKU);
        }

        @Test
        void itCanBeDefinedRightAfterwards() {
            // Given
            long skuId = Api.newSkuId();
            Api.deduct(skuId, "order-1", 1).problem(ProblemType.UNKNOWN_SKU);

            // When
            define(skuId, "\"skuCode\":\"SKU_A\",\"total\":1,\"buckets\":1").ok(201);

            // Then
            Api.deduct(skuId, "order-1", 1).ok(201);
        }
    }
}
