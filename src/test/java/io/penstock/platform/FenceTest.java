package io.penstock.platform;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.oneOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.penstock.local.LocalServer;
import io.penstock.local.LocalServers;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class FenceTest {

    private static final String SKU = "/v1/skus/77001";
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(10);

    @Inject
    Fence fence;

    @BeforeEach
    void aSkuToSell() {
        given().contentType(ContentType.JSON).body("""
                        {"skuCode":"FENCED","total":1000,"buckets":2}""").put(SKU).then().statusCode(oneOf(200, 201));
    }

    private static void sell(String deductKey) {
        given().contentType(ContentType.JSON)
                .body("""
                        {"deductKey":"%s","qty":1}""".formatted(deductKey))
                .post(SKU + "/deductions")
                .then()
                .statusCode(201);
    }

    @Nested
    class WhenSomethingWasJustAccepted {

        @Test
        void passesOnceItIsSettledAndNotBefore() {
            for (int i = 0; i < 5; i++) {
                sell("fenced-" + i);

                fence.pass(LONG_ENOUGH).await().atMost(LONG_ENOUGH.plusSeconds(5));

                given().get(SKU + "/deductions/fenced-" + i).then().body("status", equalTo("DEDUCTED"));
            }
        }
    }

    @Nested
    class WhenNothingIsUnderway {

        @Test
        void passesAtOnce() {
            fence.pass(LONG_ENOUGH).await().atMost(LONG_ENOUGH);

            fence.pass(Duration.ofSeconds(3)).await().atMost(LONG_ENOUGH);
        }
    }

    @Nested
    class WhenKafkaHangsWhileOffsetsAreCommitted {

        @Test
        void passesSoonAfterItIsBackAlthoughNothingMoreComes() {
            // Given
            LocalServers servers = LocalServers.forTests();
            servers.ledger().pause();
            sell("fenced-late");
            await("it is in the settlement's hand")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> given().get("/q/metrics")
                            .asString()
                            .lines()
                            .anyMatch(line -> line.startsWith("penstock_settlement_lag_seconds ")
                                    && Double.parseDouble(line.substring(line.indexOf(' '))) > 0));
            servers.kafka().pause();
            servers.ledger().resume();
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .until(() -> given().get(SKU + "/deductions/fenced-late")
                            .path("status")
                            .equals("DEDUCTED"));

            // And for so long that the brokers give each other up
            for (int i = 0; i < 2; i++) {
                assertThrows(
                        LogUnavailable.class,
                        () -> fence.pass(LONG_ENOUGH).await().atMost(LONG_ENOUGH.plusSeconds(5)));
            }

            // When
            servers.kafka().resume();

            // Then
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
                fence.pass(LONG_ENOUGH).await().atMost(LONG_ENOUGH.plusSeconds(5));
                return true;
            });
        }
    }

    @AfterEach
    void everythingIsBack() {
        LocalServers.forTests().all().forEach(LocalServer::resume);
    }
}
