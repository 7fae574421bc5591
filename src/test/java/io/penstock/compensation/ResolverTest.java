package io.penstock.compensation;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.ledger.LedgerSku;
import io.penstock.ledger.SkuLedger;
import io.penstock.platform.Api;
import io.penstock.stock.SkuId;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.redis.datasource.hash.HashCommands;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** 孤儿, 脏数据 and lost entries: each case is made by hand in Redis, past the service, as a crash or a lost write would leave it. */
@QuarkusTest
class ResolverTest {

    @Inject
    Resolver resolver;

    @Inject
    SkuLedger skus;

    @Inject
    RedisDataSource redis;

    long sku;

    @BeforeEach
    void tenUnitsOfWhichTwoAreSold() {
        sku = Api.newSku(10, 0);
        Api.deduct(sku, "sold", 2).ok(201);
        awaitStatus("sold", "DEDUCTED");
    }

    private String key(String suffix) {
        return "hot_{" + sku + "-SKU_A}_" + suffix;
    }

    private HashCommands<String, String, String> hashes() {
        return redis.hash(String.class);
    }

    private Map<String, String> history() {
        return new TreeMap<>(hashes().hgetall(key("deduction_history")));
    }

    private long stock() {
        return redis.value(Long.class).get(key("stock"));
    }

    /** As the deduct script does it, but nobody asks Kafka. */
    private void acceptedAndNotSent(String deductKey, int qty) {
        hashes().hset(key("deduction_history"), deductKey, String.valueOf(qty));
        hashes().hincrby(key("book"), "deducted", qty);
        hashes().hincrby(key("book"), "count", 1);
        redis.value(Long.class).decrby(key("stock"), qty);
    }

    private void resolve() {
        resolver.resolve(List.of(ledgerSku(sku))).await().atMost(Duration.ofSeconds(60));
    }

    private LedgerSku ledgerSku(long id) {
        return skus.find(new SkuId(id)).await().atMost(Duration.ofSeconds(10)).orElseThrow();
    }

    private JsonNode flow(String deductKey) {
        return Api.get("/v1/skus/" + sku + "/deductions/" + deductKey + "?journal=true")
                .json();
    }

    private void awaitStatus(String deductKey, String status) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> flow(deductKey).path("status").asText().equals(status));
    }

    private List<String> changes(String deductKey) {
        return StreamSupport.stream(flow(deductKey).path("journal").spliterator(), false)
                .map(line ->
                        line.path("change").textValue() + " " + line.path("by").textValue())
                .sorted()
                .toList();
    }

    private void assertAtRest(long available, Map<String, String> history) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            JsonNode view = Api.view(sku);
            assertEquals(available, view.path("available").longValue());
            assertEquals(available, view.path("ledgerAvailable").longValue());
            assertEquals(0, view.path("owed").longValue());
        });
        assertEquals(new TreeMap<>(history), history());
        Map<String, String> book = hashes().hgetall(key("book"));
        assertEquals(history.values().stream().mapToLong(Long::parseLong).sum(), Long.parseLong(book.get("deducted")));
        assertEquals(history.size(), Long.parseLong(book.get("count")));
    }

    @Nested
    class WhenAnotherBucketCannotBeLookedAt {

        @Test
        void itKeepsNobodyWaiting() {
            // Given
            acceptedAndNotSent("orphan", 3);
            long damaged = Api.newSku(10, 0);
            String book = "hot_{" + damaged + "-SKU_A}_book";
            redis.key().rename(book, book + "-kept");
            redis.value(String.class).set(book, "no hash");

            // When
            resolver.resolve(List.of(ledgerSku(damaged), ledgerSku(sku)))
                    .await()
                    .atMost(Duration.ofSeconds(60));

            // Then
            awaitStatus("orphan", "DEDUCTED");
            assertAtRest(5, Map.of("sold", "2", "orphan", "3"));
            redis.key().rename(book + "-kept", book);
        }
    }

    @Nested
    class WhenADeductionNeverReachedTheLedger {

        @Test
        void itIsSettledForward() {
            // Given
            acceptedAndNotSent("orphan", 3);

            // When
            resolve();

            // Then
            awaitStatus("orphan", "DEDUCTED");
            assertAtRest(5, Map.of("sold", "2", "orphan", "3"));
            assertEquals(List.of("DEDUCTED settlement", "SETTLED_FORWARD resolver"), changes("orphan"));
        }

        @Test
        void itIsLeftAloneWhileItsClientAsksAgain() {
            // Given
            acceptedAndNotSent("orphan", 3);
            Api.deduct(sku, "orphan", 3).ok(200);
            awaitStatus("orphan", "DEDUCTED");

            // When
            resolve();

            // Then
            assertAtRest(5, Map.of("sold", "2", "orphan", "3"));
            assertEquals(List.of("DEDUCTED settlement"), changes("orphan"));
        }
    }

    @Nested
    class WhenNoScriptWroteAnEntry {

        @Test
        void itIsRemovedWithoutAddingUnits() {
            // Given
            hashes().hset(key("deduction_history"), "foreign", "4");

            // When
            resolve();

            // Then
            assertAtRest(8, Map.of("sold", "2"));
            assertEquals(404, Api.get("/v1/skus/" + sku + "/deductions/foreign").status());
        }

        @Test
        void itIsRemovedEvenIfItsKeyOnceHadADeduction() {
            // Given
            Api.deduct(sku, "returned", 1).ok(201);
            Api.post("/v1/skus/" + sku + "/deductions/returned/rollback").ok(200);
            hashes().hset(key("deduction_history"), "returned", "1");

            // When
            resolve();

            // Then
            assertAtRest(8, Map.of("sold", "2"));
        }

        @Test
        void itIsSettledForwardIfItMightHaveBeenAccepted() {
            // Given: one of the two was accepted, and nobody can tell which
            acceptedAndNotSent("orphan", 3);
            hashes().hset(key("deduction_history"), "foreign", "3");

            // When
            resolve();
            awaitStatus("orphan", "DEDUCTED");
            awaitStatus("foreign", "DEDUCTED");
            resolve();

            // Then
            assertAtRest(2, Map.of("sold", "2", "orphan", "3", "foreign", "3"));
        }

        @Test
        void whatIsNoDeductionGoesAndTheRestIsSettledForward() {
            // Given
            acceptedAndNotSent("orphan", 3);
            hashes().hset(key("deduction_history"), "no deduct key", "1");
            hashes().hset(key("deduction_history"), "no-quantity", "many");
            hashes().hset(key("deduction_history"), "foreign", "1");

            // When
            resolve();
            awaitStatus("orphan", "DEDUCTED");
            resolve();

            // Then
            assertAtRest(4, Map.of("sold", "2", "orphan", "3", "foreign", "1"));
        }
    }

    @Nested
    class WhenTheFlowSaysOtherwise {

        @Test
        void anEntryOfAFinishedFlowIsRestored() {
            // Given: Redis failed over and lost the restore
            Api.deduct(sku, "returned", 1).ok(201);
            Api.post("/v1/skus/" + sku + "/deductions/returned/rollback").ok(200);
            redis.sortedSet(String.class).zrem(key("rollback_history"), "returned");
            acceptedAndNotSent("returned", 1);

            // When
            resolve();

            // Then
            assertAtRest(8, Map.of("sold", "2"));
            assertEquals(409, Api.deduct(sku, "returned", 1).status());
        }

        @Test
        void anEntryWithAnotherQuantityBecomesItsFlows() {
            // Given
            hashes().hset(key("deduction_history"), "sold", "5");
            hashes().hincrby(key("book"), "deducted", 3);
            redis.value(Long.class).decrby(key("stock"), 3);

            // When
            resolve();

            // Then
            assertAtRest(8, Map.of("sold", "2"));
        }
    }

    @Nested
    class WhenRedisLostData {

        @Test
        void aLostEntryIsWrittenAgain() {
            // Given
            hashes().hdel(key("deduction_history"), "sold");

            // When
            resolve();

            // Then
            assertAtRest(8, Map.of("sold", "2"));
        }

        @Test
        void aLostHistoryIsWrittenAgain() {
            // Given
            Api.deduct(sku, "sold-too", 1).ok(201);
            awaitStatus("sold-too", "DEDUCTED");
            redis.key().del(key("deduction_history"));

            // When
            resolve();

            // Then
            assertAtRest(7, Map.of("sold", "2", "sold-too", "1"));
        }

        @Test
        void aDeductionThatAFailoverLostIsTakenAgain() {
            // Given
            hashes().hdel(key("deduction_history"), "sold");
            hashes().hincrby(key("book"), "deducted", -2);
            hashes().hincrby(key("book"), "count", -1);
            redis.value(Long.class).incrby(key("stock"), 2);

            // When
            resolve();

            // Then
            assertEquals(8, stock());
            assertAtRest(8, Map.of("sold", "2"));
        }

        @Test
        void aMissingBucketIsLoaded() {
            // Given
            redis.key().del(key("stock"), key("book"), key("deduction_history"), key("rollback_history"));

            // When
            resolve();

            // Then
            assertAtRest(8, Map.of("sold", "2"));
        }

        @Test
        void whatWasSoldTwiceIsRejectedAndSoldNoThirdTime() {
            // Given: all is sold, then Redis comes back as it was before
            Api.deduct(sku, "rest", 8).ok(201);
            awaitStatus("rest", "DEDUCTED");
            hashes().hdel(key("deduction_history"), "rest");
            hashes().hincrby(key("book"), "deducted", -8);
            hashes().hincrby(key("book"), "count", -1);
            redis.value(Long.class).incrby(key("stock"), 8);

            // When
            Api.deduct(sku, "excess", 5).ok(201);

            // Then
            awaitStatus("excess", "REJECTED");
            assertAtRest(0, Map.of("sold", "2", "rest", "8"));
            assertEquals(409, Api.deduct(sku, "late", 1).status());
        }
    }
}
