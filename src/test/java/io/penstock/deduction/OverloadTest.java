package io.penstock.deduction;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.local.LocalServer;
import io.penstock.local.LocalServers;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.penstock.platform.ProblemType;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** More requests than the queues hold, while a server hangs: told at once, and each key is decided when it is asked again. */
@QuarkusTest
@TestProfile(OverloadTest.ShortQueues.class)
class OverloadTest {

    private static final int REQUESTS = 400;

    /** One event loop with 256 calls to Redis, and 20 deductions that wait for Kafka. */
    public static final class ShortQueues implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of(
                    "quarkus.vertx.event-loops-pool-size", "1",
                    "penstock.gate.max-unanswered", "256",
                    "penstock.accepted-log.max-waiting", "20");
        }
    }

    private final ExecutorService buyers = Executors.newFixedThreadPool(REQUESTS);
    private final LocalServers servers = LocalServers.forTests();

    @AfterEach
    void everythingIsBack() {
        servers.redis().resume();
        servers.kafka().resume();
        buyers.shutdown();
    }

    private static String key(int buyer) {
        return "order-" + buyer;
    }

    private List<Answer> allAtOnce(long sku) {
        List<CompletableFuture<Answer>> answers = IntStream.range(0, REQUESTS)
                .mapToObj(buyer -> CompletableFuture.supplyAsync(() -> Api.deduct(sku, key(buyer), 1), buyers))
                .toList();
        return answers.stream().map(CompletableFuture::join).toList();
    }

    private void assertToldAndDecidedLater(LocalServer hung) {
        // Given
        long sku = Api.newSku(2 * REQUESTS, 0);
        Api.deduct(sku, "before", 1).ok(201);

        // When
        hung.pause();
        List<Answer> answers = allAtOnce(sku);

        // Then
        Set<Integer> statuses = new HashSet<>();
        for (Answer answer : answers) {
            statuses.add(answer.status());
            answer.problem(answer.status() == 429 ? ProblemType.OVERLOADED : ProblemType.UNAVAILABLE);
            assertTrue(Integer.parseInt(answer.header("Retry-After")) > 0);
        }
        assertEquals(Set.of(429, 503), statuses);

        // And when it is back
        hung.resume();
        for (int buyer = 0; buyer < REQUESTS; buyer++) {
            String key = key(buyer);
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            Set.of(200, 201).contains(Api.deduct(sku, key, 1).status()));
        }

        // Then
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Api.view(sku).path("sold").longValue() == REQUESTS + 1);
        assertEquals(REQUESTS - 1, Api.view(sku).path("available").longValue());
    }

    @Test
    void whileRedisHangs() {
        assertToldAndDecidedLater(servers.redis());
    }

    @Test
    void whileKafkaHangs() {
        assertToldAndDecidedLater(servers.kafka());
    }
}
