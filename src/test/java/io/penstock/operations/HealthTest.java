package io.penstock.operations;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.local.LocalServers;
import io.penstock.platform.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import jakarta.inject.Inject;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an orchestrator is told. */
@QuarkusTest
class HealthTest {

    private static final String POLICY = "maxmemory-policy";

    @Inject
    Redis redis;

    private void policy(String policy) {
        redis.send(Request.cmd(Command.CONFIG).arg("SET").arg(POLICY).arg(policy))
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private static JsonNode check(JsonNode health, String name) {
        for (JsonNode check : health.path("checks")) {
            if (check.path("name").textValue().startsWith(name)) {
                return check;
            }
        }
        throw new AssertionError("no check " + name + " in " + health);
    }

    @Nested
    class WhenEveryServerAnswers {

        @ParameterizedTest
        @ValueSource(strings = {"live", "ready", "started"})
        void itIsUp(String kind) {
            assertEquals(
                    "UP", Api.get("/q/health/" + kind).ok(200).path("status").textValue());
        }

        @Test
        void readyAsksEachOfThem() {
            // When
            JsonNode ready = Api.get("/q/health/ready").ok(200);

            // Then
            for (String name : new String[] {"gate", "ledger", "log"}) {
                assertEquals("UP", check(ready, name).path("status").textValue(), name);
            }
        }

        @Test
        void liveAsksNone() {
            assertEquals(0, Api.get("/q/health/live").ok(200).path("checks").size());
        }
    }

    @Nested
    class WhenRedisMayEvict {

        @Test
        void readyNamesItAndStaysUp() {
            // Given
            policy("allkeys-lru");
            JsonNode weak;

            // When
            try {
                weak = Api.get("/q/health/ready").ok(200);
            } finally {
                policy("noeviction");
            }
            JsonNode strong = Api.get("/q/health/ready").ok(200);

            // Then
            assertEquals("UP", check(weak, "gate").path("status").textValue());
            assertTrue(weaknesses(weak).contains(POLICY), weaknesses(weak));
            assertTrue(weaknesses(weak).contains("allkeys-lru"), weaknesses(weak));
            assertFalse(weaknesses(strong).contains(POLICY), weaknesses(strong));
        }

        private static String weaknesses(JsonNode health) {
            return check(health, "gate").path("data").path("weaknesses").asText();
        }
    }

    @Nested
    class WhenTheLedgerIsAway {

        @Test
        void readyIsDownAndLiveIsUp() {
            // Given
            Api.Answer ready;
            Api.Answer live;
            LocalServers.forTests().ledger().pause();

            // When
            try {
                ready = Api.get("/q/health/ready");
                live = Api.get("/q/health/live");
            } finally {
                LocalServers.forTests().ledger().resume();
            }

            // Then
            assertEquals(503, ready.status());
            assertEquals("DOWN", check(ready.json(), "ledger").path("status").textValue());
            assertFalse(ready.text().contains("127.0.0.1"), ready.text());
            assertEquals(200, live.status());
            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> Api.get("/q/health/ready").status() == 200);
        }
    }
}
