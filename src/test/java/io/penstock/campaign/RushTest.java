package io.penstock.campaign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.campaign.Shop.Answer;
import io.penstock.local.LocalServers;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A sale, from its first second to its last return. */
@QuarkusTest
class RushTest {

    private static final String CODE = "RUSH";
    private static final int BUCKETS = 5;

    @ConfigProperty(name = "quarkus.http.test-port")
    int port;

    private Shop shop;
    private AtRest atRest;

    @BeforeEach
    void open() {
        shop = new Shop(port);
        atRest = new AtRest(LocalServers.forTests());
    }

    @AfterEach
    void close() {
        atRest.close();
    }

    @Nested
    class WhenFiveTimesMoreBuyersComeThanThereAreUnits {

        private static final long SKU = 710_001;
        private static final int UNITS = 203;

        private final List<String> keys =
                IntStream.range(0, 5 * UNITS).mapToObj(i -> "rush-" + i).toList();

        @Test
        void exactlyAsManyWinAsThereAreUnitsAndEveryUnitComesBackToItsOwnBucket() {
            // Given
            shop.define(SKU, CODE, UNITS, BUCKETS);

            // When
            List<Answer> answers = shop.rush(keys, key -> shop.deduct(SKU, key, 1));

            // Then
            Map<Integer, Long> byStatus =
                    answers.stream().collect(Collectors.groupingBy(Answer::status, Collectors.counting()));
            assertEquals(Map.of(201, (long) UNITS, 409, 4L * UNITS), byStatus);
            assertTrue(answers.stream()
                    .filter(answer -> answer.status() == 409)
                    .allMatch(answer -> answer.body().getBoolean("soldOut")));
            atRest.mustHold(SKU, CODE, BUCKETS);
            assertEquals(0, shop.view(SKU).body().getLong("available"));

            // And when all of it is returned, twice
            List<JsonObject> won =
                    answers.stream().filter(Answer::accepted).map(Answer::body).toList();
            List<Answer> returned = shop.rush(won, body -> shop.rollBack(SKU, body.getString("deductKey")));
            List<Answer> again = shop.rush(won, body -> shop.rollBack(SKU, body.getString("deductKey")));

            // Then
            for (int i = 0; i < won.size(); i++) {
                assertEquals("ROLLED_BACK", returned.get(i).body().getString("outcome"));
                assertEquals(
                        won.get(i).getInteger("bucketNo"),
                        returned.get(i).body().getInteger("bucketNo"));
                assertEquals("ALREADY_ROLLED_BACK", again.get(i).body().getString("outcome"));
            }
            atRest.mustHold(SKU, CODE, BUCKETS);
            assertEquals(UNITS, shop.view(SKU).body().getLong("available"));
        }
    }

    @Nested
    class WhenOneKeyComesFromSixtyFourClientsAtOnce {

        private static final long SKU = 710_002;

        @Test
        void deductsOnceAndTellsAllOthersThatItDid() {
            // Given
            shop.define(SKU, CODE, 100, BUCKETS);

            // When
            List<Answer> answers =
                    shop.rush(Collections.nCopies(64, "the-same-order"), key -> shop.deduct(SKU, key, 3));

            // Then
            Map<Integer, Long> byStatus =
                    answers.stream().collect(Collectors.groupingBy(Answer::status, Collectors.counting()));
            assertEquals(Map.of(201, 1L, 200, 63L), byStatus);
            assertEquals(
                    1,
                    answers.stream()
                            .map(answer -> answer.body().getInteger("bucketNo"))
                            .distinct()
                            .count());
            atRest.mustHold(SKU, CODE, BUCKETS);
            assertEquals(97, shop.view(SKU).body().getLong("ledgerAvailable"));
        }
    }

    @Nested
    class WhenSalesAndReturnsOfTheSameKeysComeTogether {

        private static final long SKU = 710_003;

        @Test
        void everyKeyEndsReturnedAndNoUnitIsLostOrGivenTwice() {
            // Given
            shop.define(SKU, CODE, 50, BUCKETS);
            List<String> calls = IntStream.range(0, 600)
                    .mapToObj(i -> (i % 3 == 0 ? "return " : "buy ") + "mixed-" + i / 6)
                    .toList();

            // When
            shop.rush(
                    calls,
                    call -> call.startsWith("buy")
                            ? shop.deduct(SKU, call.substring(4), 1)
                            : shop.rollBack(SKU, call.substring(7)));
            shop.rush(IntStream.range(0, 100).mapToObj(i -> "mixed-" + i).toList(), key -> shop.rollBack(SKU, key));

            // Then
            atRest.mustHold(SKU, CODE, BUCKETS);
            assertEquals(50, shop.view(SKU).body().getLong("available"));
        }
    }
}
