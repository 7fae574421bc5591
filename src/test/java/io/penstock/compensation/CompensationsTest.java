package io.penstock.compensation;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.local.LocalServers;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** 补偿: what is owed while Redis is away, how it is shown, and that it is given. */
@QuarkusTest
class CompensationsTest {

    private static String path(long sku, String key) {
        return "/v1/skus/" + sku + "/deductions/" + key;
    }

    private static void sold(long sku, String key) {
        Api.deduct(sku, key, 2).ok(201);
        await().until(() ->
                Api.get(path(sku, key)).json().path("status").asText().equals("DEDUCTED"));
    }

    private static List<JsonNode> owed(long sku) {
        List<JsonNode> all = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = Api.get("/v1/compensations?limit=2" + after).ok(200);
            page.path("items").forEach(all::add);
            after = page.path("next").isNull()
                    ? null
                    : "&after=" + page.path("next").textValue();
        } while (after != null);
        return all.stream()
                .filter(debt -> debt.path("skuId").longValue() == sku)
                .toList();
    }

    @AfterEach
    void redisIsBack() {
        LocalServers.forTests().redis().resume();
    }

    @Nested
    class WhenRedisHangsWhileDeductionsAreRolledBack {

        @Test
        void theirCreditsAreOwedAndShownPageByPageAndGivenOnceItIsBack() {
            // Given
            long sku = Api.newSku(100, 0);
            List<String> keys = List.of("order-1", "order-2", "order-3");
            keys.forEach(key -> sold(sku, key));

            // When
            LocalServers.forTests().redis().pause();
            List<CompletableFuture<Answer>> answers = keys.stream()
                    .map(key -> CompletableFuture.supplyAsync(() -> Api.post(path(sku, key) + "/rollback")))
                    .toList();

            // Then
            for (CompletableFuture<Answer> answer : answers) {
                assertEquals(
                        "COMPENSATING", answer.join().ok(202).path("outcome").textValue());
                assertTrue(answer.join().header("Location").contains(path(sku, "order-")));
            }
            assertEquals(
                    keys,
                    owed(sku).stream()
                            .map(debt -> debt.path("deductKey").textValue())
                            .toList());
            JsonNode first = await().atMost(Duration.ofSeconds(20))
                    .until(() -> owed(sku).get(0), debt -> debt.path("attempts").intValue() > 0);
            assertEquals(
                    Set.of("kind", "skuId", "deductKey", "bucketNo", "qty", "attempts", "lastError", "nextAttempt"),
                    Api.fields(first));
            assertEquals("CREDIT", first.path("kind").textValue());
            assertEquals(2, first.path("qty").intValue());
            assertTrue(first.path("lastError").textValue().startsWith("the gate"));

            // And when it is back
            LocalServers.forTests().redis().resume();

            // Then
            await().atMost(Duration.ofSeconds(40)).until(() -> owed(sku).isEmpty());
            assertEquals(100, Api.view(sku).path("available").longValue());
            assertEquals(
                    "DONE", Api.get(path(sku, "order-1")).json().path("credit").textValue());
        }
    }

    @Nested
    class WhenADebtIsRetriedByHand {

        @Test
        void itIsGivenNow() {
            // Given
            long sku = Api.newSku(100, 0);
            sold(sku, "order-1");
            LocalServers.forTests().redis().pause();
            Api.post(path(sku, "order-1") + "/rollback").ok(202);
            LocalServers.forTests().redis().resume();

            // When
            Answer retried = Api.post("/v1/compensations/" + sku + "/order-1/retry");

            // Then
            assertTrue(Set.of(202, 404).contains(retried.status()), "it may have been given already");
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> Api.view(sku).path("available").longValue() == 100);
            assertEquals(
                    404, Api.post("/v1/compensations/" + sku + "/order-1/retry").status());
        }

        @Test
        void aKeyThatIsOwedNothingIsNotFound() {
            assertEquals(404, Api.post("/v1/compensations/1/order-1/retry").status());
            assertEquals(400, Api.post("/v1/compensations/1/order%201/retry").status());
            assertEquals(400, Api.get("/v1/compensations?after=nonsense").status());
        }
    }

    @Nested
    class WhenAJournalIsAskedFor {

        @Test
        void saysWhatHappenedWhenByWhomAndWhy() {
            // Given
            long sku = Api.newSku(100, 0);
            Instant before = Instant.now().minusSeconds(60);
            sold(sku, "order-1");
            Api.post(path(sku, "order-1") + "/rollback", "{\"reason\":\"changed his mind\"}")
                    .ok(200);

            // When
            JsonNode journal =
                    Api.get(path(sku, "order-1") + "?journal=true").ok(200).path("journal");

            // Then
            List<String> lines = StreamSupport.stream(journal.spliterator(), false)
                    .map(line -> line.path("change").textValue() + " "
                            + line.path("by").textValue() + " "
                            + line.path("why").textValue())
                    .toList();
            assertEquals("DEDUCTED settlement null", lines.get(0));
            assertEquals("ROLLED_BACK http changed his mind", lines.get(1));
            assertEquals(3, lines.size());
            assertTrue(lines.get(2).startsWith("CREDIT_DONE"));
            assertTrue(Instant.parse(journal.get(0).path("at").textValue()).isAfter(before));
            assertTrue(Api.get(path(sku, "order-1")).ok(200).path("journal").isMissingNode());
            assertEquals(400, Api.get(path(sku, "order-1") + "?journal=yes").status());
        }
    }
}
