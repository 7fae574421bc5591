package io.penstock.sku;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.penstock.platform.ProblemType;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Buckets that are merged, gathered from, retired, brought back, and more or fewer; and sales that pause. */
@QuarkusTest
class BucketsApiTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static Answer put(String path, String json) {
        return Api.put("/v1/skus/" + path, json);
    }

    private static Answer retire(long sku, int bucketNo) {
        return put(sku + "/buckets/" + bucketNo, "{\"state\":\"OFFLINE\"}");
    }

    private static Answer bringBack(long sku, int bucketNo) {
        return put(sku + "/buckets/" + bucketNo, "{\"state\":\"ACTIVE\"}");
    }

    private static Answer count(long sku, int buckets) {
        return put(sku + "/buckets", "{\"buckets\":" + buckets + "}");
    }

    private static Answer sale(long sku, String state) {
        return put(sku + "/sale", "{\"state\":\"" + state + "\"}");
    }

    private static List<Long> stock(JsonNode sku, String state) {
        List<Long> stock = new ArrayList<>();
        sku.path("buckets").forEach(bucket -> {
            if (bucket.path("state").asText().equals(state)) {
                stock.add(bucket.path("stock").longValue());
            }
        });
        return stock;
    }

    /** The ledger's rows and Redis' keys say the same of every bucket. */
    private static JsonNode atRest(long sku) {
        return await().atMost(PATIENCE).until(() -> Api.view(sku), view -> {
            boolean same = view.path("pending").longValue() == 0
                    && view.path("owed").longValue() == 0
                    && view.path("moving").longValue() == 0;
            for (JsonNode bucket : view.path("buckets")) {
                same &= bucket.path("stock").longValue()
                        == bucket.path("ledgerAvailable").longValue();
            }
            return same;
        });
    }

    private static String bodyOf(Answer answer) {
        return answer.status() + " " + answer.text();
    }

    @Nested
    class WhenNoBucketHasEnough {

        @Test
        void unitsAreGatheredForOneRequest() {
            long sku = Api.newSku(5, 5);

            Answer three = Api.deduct(sku, "three", 3);
            Answer two = Api.deduct(sku, "two", 2);
            Answer one = Api.deduct(sku, "one", 1);

            assertEquals(201, three.status(), bodyOf(three));
            assertEquals(201, two.status(), bodyOf(two));
            assertEquals(409, one.status());
            assertTrue(one.json().path("soldOut").booleanValue());
            assertEquals(0, atRest(sku).path("available").longValue());
        }

        @Test
        void moreThanAllHaveTogetherIsRefusedAndLeavesThemAsTheyAre() {
            long sku = Api.newSku(5, 5);

            Answer six = Api.deduct(sku, "six", 6);

            assertEquals(409, six.status());
            six.problem(ProblemType.INSUFFICIENT_STOCK);
            assertEquals(false, six.json().path("soldOut").booleanValue());
            assertEquals(List.of(1L, 1L, 1L, 1L, 1L), stock(Api.view(sku), "ACTIVE"));
        }

        @Test
        void manyBuyersSellItToTheLastUnit() throws Exception {
            long sku = Api.newSku(200, 8);
            Random random = new Random(8);
            ExecutorService buyers = Executors.newFixedThreadPool(16);
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            List<Integer> asked = new ArrayList<>();
            for (int i = 0; i < 160; i++) {
                int qty = 1 + random.nextInt(3);
                String key = "order-" + i;
                asked.add(qty);
                answers.add(CompletableFuture.supplyAsync(
                        () -> await().atMost(PATIENCE)
                                .until(() -> Api.deduct(sku, key, qty), answer -> answer.status() < 429),
                        buyers));
            }
            long sold = 0;
            long smallestRefused = Long.MAX_VALUE;
            for (int i = 0; i < answers.size(); i++) {
                Answer answer = answers.get(i).get();
                if (answer.status() == 409) {
                    smallestRefused = Math.min(smallestRefused, asked.get(i));
                } else {
                    assertTrue(answer.status() == 201 || answer.status() == 200, bodyOf(answer));
                    sold += asked.get(i);
                }
            }
            buyers.shutdownNow();

            JsonNode view = atRest(sku);

            assertEquals(200 - sold, view.path("available").longValue());
            assertEquals(sold, view.path("sold").longValue());
            assertTrue(200 - sold < smallestRefused, "left " + (200 - sold) + ", refused " + smallestRefused);
        }
    }

    @Nested
    class WhenABucketIsRetired {

        @Test
        void itsUnitsMoveAndWhatIsRolledBackToItMovesOn() {
            // Given
            long sku = Api.newSku(30, 3);
            List<String> of2 = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Answer answer = Api.deduct(sku, "order-" + i, 1);
                if (answer.json().path("bucketNo").intValue() == 2) {
                    of2.add("order-" + i);
                }
            }
            String key = of2.get(0);
            await().atMost(PATIENCE)
                    .until(() -> Api.get("/v1/skus/" + sku + "/deductions/" + key)
                            .json()
                            .path("status")
                            .asText()
                            .equals("DEDUCTED"));

            // When
            Answer retired = retire(sku, 2);
            Answer again = retire(sku, 2);
            Answer retry = Api.deduct(sku, key, 1);
            Answer rolledBack = Api.post("/v1/skus/" + sku + "/deductions/" + key + "/rollback");

            // Then
            assertEquals(200, retired.status(), bodyOf(retired));
            assertEquals(200, again.status());
            assertEquals(List.of(9L, 9L), stock(retired.json(), "ACTIVE"));
            assertEquals(List.of(0L), stock(retired.json(), "OFFLINE"));
            assertEquals(200, retry.status(), bodyOf(retry));
            assertEquals(2, retry.json().path("bucketNo").intValue());
            assertEquals(200, rolledBack.status(), bodyOf(rolledBack));
            assertEquals(2, rolledBack.json().path("bucketNo").intValue());
            JsonNode view = atRest(sku);
            assertEquals(List.of(0L), stock(view, "OFFLINE"));
            assertEquals(19, view.path("available").longValue());
            int movedTo = Api.get("/v1/skus/" + sku + "/deductions/" + key)
                    .json()
                    .path("movedTo")
                    .intValue();
            assertTrue(movedTo == 1 || movedTo == 3, "moved to " + movedTo);
            assertEquals(409, Api.deduct(sku, key, 1).status());
        }

        @Test
        void theLastOneStays() {
            long sku = Api.newSku(30, 2);

            assertEquals(200, retire(sku, 1).status());
            Answer last = retire(sku, 2);

            assertEquals(409, last.status());
            last.problem(ProblemType.LAST_BUCKET);
            assertEquals(List.of(30L), stock(atRest(sku), "ACTIVE"));
        }

        @Test
        void itComesBackAndSells() {
            long sku = Api.newSku(30, 2);
            retire(sku, 1);

            Answer back = bringBack(sku, 1);

            assertEquals(200, back.status(), bodyOf(back));
            assertEquals(List.of(15L, 15L), stock(back.json(), "ACTIVE"));
            assertEquals(201, Api.deduct(sku, "all", 30).status());
        }

        @Test
        void oneThatIsNotThereIsNotFound() {
            long sku = Api.newSku(30, 2);

            assertEquals(404, retire(sku, 7).status());
            assertEquals(400, put(sku + "/buckets/x", "{\"state\":\"OFFLINE\"}").status());
            assertEquals(400, put(sku + "/buckets/1", "{\"state\":\"GONE\"}").status());
            assertEquals(400, put(sku + "/buckets/1", "{}").status());
            assertEquals(
                    404,
                    put(Api.newSkuId() + "/buckets/1", "{\"state\":\"OFFLINE\"}")
                            .status());
        }
    }

    @Nested
    class WhenThereAreMoreOrFewerBuckets {

        @Test
        void unitsSpreadOverThemAndEveryKeyIsStillKnown() {
            // Given
            long sku = Api.newSku(60, 2);
            for (int i = 0; i < 12; i++) {
                assertEquals(201, Api.deduct(sku, "order-" + i, 1).status());
            }

            // When
            Answer more = count(sku, 6);
            Answer fewer = count(sku, 3);

            // Then
            assertEquals(200, more.status(), bodyOf(more));
            assertEquals(List.of(8L, 8L, 8L, 8L, 8L, 8L), stock(more.json(), "ACTIVE"));
            assertEquals(200, fewer.status(), bodyOf(fewer));
            assertEquals(List.of(16L, 16L, 16L), stock(fewer.json(), "ACTIVE"));
            for (int i = 0; i < 12; i++) {
                assertEquals(200, Api.deduct(sku, "order-" + i, 1).status(), "order-" + i);
            }
            assertEquals(48, atRest(sku).path("available").longValue());
        }

        @Test
        void anUnbucketedSkuHasOneForEver() {
            count(Api.newSku(10, 0), 2).problem(ProblemType.NOT_BUCKETED);
            count(Api.newSku(10, "DB_CONDITIONAL"), 2).problem(ProblemType.NOT_BUCKETED);
            retire(Api.newSku(10, 0), 0).problem(ProblemType.LAST_BUCKET);
            assertEquals(400, count(Api.newSku(10, 2), 0).status());
            assertEquals(400, count(Api.newSku(10, 2), 65).status());
        }
    }

    @Nested
    class WhenBucketsAreUneven {

        @Test
        void aMergeEvensThemOut() {
            long sku = Api.newSku(40, 4);
            assertEquals(201, Api.deduct(sku, "large", 10).status());

            Answer merged = Api.post("/v1/skus/" + sku + "/merge");

            assertEquals(200, merged.status(), bodyOf(merged));
            List<Long> stock = stock(merged.json(), "ACTIVE");
            assertEquals(30, stock.stream().mapToLong(Long::longValue).sum());
            assertTrue(stock.stream().allMatch(units -> units == 7 || units == 8), stock.toString());
        }
    }

    @Nested
    class WhenTheSaleIsPaused {

        @Test
        void newKeysAreRefusedKnownOnesAnsweredAndRolledBack() {
            long sku = Api.newSku(40, 4);
            Api.deduct(sku, "before", 2);

            Answer paused = sale(sku, "PAUSED");
            Answer refused = Api.deduct(sku, "new", 1);
            Answer known = Api.deduct(sku, "before", 2);
            Answer rolledBack = Api.post("/v1/skus/" + sku + "/deductions/before/rollback");
            Answer open = sale(sku, "OPEN");
            Answer sold = Api.deduct(sku, "new", 1);

            assertEquals(200, paused.status(), bodyOf(paused));
            assertEquals("PAUSED", paused.json().path("sale").asText());
            assertEquals(409, refused.status());
            refused.problem(ProblemType.SALE_PAUSED);
            assertEquals(7, refused.json().path("code").intValue());
            assertEquals(200, known.status(), bodyOf(known));
            assertEquals(200, rolledBack.status(), bodyOf(rolledBack));
            assertEquals("OPEN", open.json().path("sale").asText());
            assertEquals(201, sold.status(), bodyOf(sold));
        }

        @Test
        void thatOfADatabaseSkuTooRefusesNewKeys() {
            long sku = Api.newSku(40, "DB_PESSIMISTIC");

            assertEquals(200, sale(sku, "PAUSED").status());
            Api.deduct(sku, "new", 1).problem(ProblemType.SALE_PAUSED);
            assertEquals(200, sale(sku, "OPEN").status());
            assertEquals(201, Api.deduct(sku, "new", 1).status());
        }
    }
}
