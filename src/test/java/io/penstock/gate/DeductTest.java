package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.newBucket;
import static io.penstock.gate.RedisProbe.qty;
import static io.penstock.stock.DeductCode.CLOSED;
import static io.penstock.stock.DeductCode.DEDUCTED;
import static io.penstock.stock.DeductCode.DEDUCTED_LAST;
import static io.penstock.stock.DeductCode.DUPLICATE;
import static io.penstock.stock.DeductCode.FINISHED;
import static io.penstock.stock.DeductCode.INSUFFICIENT;
import static io.penstock.stock.DeductCode.KEY_REUSED;
import static io.penstock.stock.DeductCode.NOT_LOADED;
import static io.penstock.stock.DeductCode.SPILLED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class DeductTest {

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    BucketId bucket;

    @BeforeEach
    void tenUnits() {
        bucket = probe.loaded(10);
    }

    DeductCode deduct(String key, int qty) {
        return await(gate.deduct(bucket, key(key), qty(qty))).code();
    }

    @Nested
    class WhenThereAreUnits {

        @AfterEach
        void theBookIsRight() {
            probe.assertSound(bucket);
        }

        @Test
        void takesThemAndWritesTheHistory() {
            // When
            DeductAnswer answer = await(gate.deduct(bucket, key("o-1"), qty(4)));

            // Then
            assertEquals(new DeductAnswer(DEDUCTED, 1, 6, -1, 10), answer);
            assertEquals(6, probe.stock(bucket));
            assertEquals(Map.of("o-1", "4"), probe.history(bucket));
        }

        @Test
        void saysSoWhenItTakesTheLast() {
            // Given
            deduct("o-1", 4);

            // When
            DeductAnswer answer = await(gate.deduct(bucket, key("o-2"), qty(6)));

            // Then
            assertEquals(new DeductAnswer(DEDUCTED_LAST, 1, 0, -1, 10), answer);
        }

        @Test
        void answersARepeatedKeyWithoutTakingAgain() {
            // Given
            deduct("o-1", 4);

            // When
            DeductCode again = deduct("o-1", 4);

            // Then
            assertEquals(DUPLICATE, again);
            assertEquals(6, probe.stock(bucket));
        }

        @Test
        void refusesTheSameKeyWithAnotherQuantity() {
            // Given
            deduct("o-1", 4);

            // When
            DeductCode other = deduct("o-1", 5);

            // Then
            assertEquals(KEY_REUSED, other);
            assertEquals(6, probe.stock(bucket));
        }

        @Test
        void keepsAHundredTrillionUnitsExactly() {
            // Given
            bucket = probe.loaded(100_000_000_000_000L);

            // When
            DeductAnswer answer = await(gate.deduct(bucket, key("o-1"), qty(1)));

            // Then
            assertEquals(99_999_999_999_999L, answer.stock());
            assertEquals(99_999_999_999_999L, probe.stock(bucket));
            assertEquals("100000000000000", probe.book(bucket).get("allotment"));
        }

        @Test
        void answersManyAsIfOneCameAfterAnother() {
            // When
            Response reply = probe.eval(
                    Script.DEDUCT,
                    bucket,
                    List.of("a", "6", "a", "6", "a", "5", "b", "5", "c", "4", "d", "1", "c", "4", "b", "5"));

            // Then
            assertEquals("[1, 0, [3, 0, 4, 1, 2, 1, 0, 1], [], 10]", reply.toString());
        }

        @Test
        void takesTwoHundredAndFiftySixInOneCall() {
            // Given
            bucket = probe.loaded(200);
            List<String> pairs = new ArrayList<>();
            for (int i = 0; i < Script.MAX_BATCH; i++) {
                pairs.addAll(List.of("o-" + i, "1"));
            }

            // When
            Response codes = probe.eval(Script.DEDUCT, bucket, pairs).get(2);

            // Then
            assertEquals(3, codes.get(198).toInteger());
            assertEquals(2, codes.get(199).toInteger());
            assertEquals(1, codes.get(200).toInteger());
            assertEquals(200, probe.history(bucket).size());
        }
    }

    @Nested
    class WhenThereAreTooFewUnits {

        @Test
        void refusesAndChangesNothing() {
            // Given
            deduct("o-1", 4);
            Map<String, String> before = probe.state(bucket);

            // When
            DeductAnswer answer = await(gate.deduct(bucket, key("o-2"), qty(7)));

            // Then
            assertEquals(new DeductAnswer(INSUFFICIENT, 1, 6, -1, 10), answer);
            assertEquals(before, probe.state(bucket));
        }

        @Test
        void refusesWhileTheStockIsBelowZero() {
            // Given
            await(gate.adopt(bucket, key("lost"), qty(12)));

            // When
            DeductAnswer answer = await(gate.deduct(bucket, key("o-1"), qty(1)));

            // Then
            assertEquals(new DeductAnswer(INSUFFICIENT, 1, -2, -1, 10), answer);
            probe.assertSound(bucket);
        }

        @Test
        void stillAnswersAKnownKey() {
            // Given
            deduct("o-1", 10);

            // When
            DeductCode again = deduct("o-1", 10);

            // Then
            assertEquals(DUPLICATE, again);
        }
    }

    @Nested
    class WhenTheBucketIsNotLoaded {

        @Test
        void neverReadsItAsZero() {
            // Given
            bucket = newBucket();

            // When
            DeductAnswer answer = await(gate.deduct(bucket, key("o-1"), qty(1)));

            // Then
            assertEquals(new DeductAnswer(NOT_LOADED, 0, 0, -1, 0), answer);
        }

        @Test
        void answersSoForEveryPairAndWritesNothing() {
            // Given
            bucket = newBucket();

            // When
            Response reply = probe.eval(Script.DEDUCT, bucket, List.of("a", "1", "b", "1"));

            // Then
            assertEquals("[0, 0, [-1, -1], [], 0]", reply.toString());
            assertEquals(probe.state(newBucket()), probe.state(bucket));
        }

        @Test
        void doesNotSellALeftoverStockWithoutItsBook() {
            // Given
            probe.send(Command.DEL, BucketKey.BOOK.of(bucket));

            // When
            DeductCode code = deduct("o-1", 1);

            // Then
            assertEquals(NOT_LOADED, code);
        }
    }

    @Nested
    class WhenTheKeyIsFinished {

        @Test
        void refusesTheLateRetryAndLeavesTheStockAlone() {
            // Given
            deduct("o-1", 4);
            await(gate.restore(bucket, List.of(key("o-1"))));

            // When
            DeductCode late = deduct("o-1", 4);

            // Then
            assertEquals(FINISHED, late);
            assertEquals(10, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void saysFinishedRatherThanSpilled() {
            // Given
            await(gate.spill(bucket, key("o-1"), 7));
            await(gate.entomb(bucket, key("o-1")));

            // When
            DeductCode code = deduct("o-1", 4);

            // Then
            assertEquals(FINISHED, code);
        }
    }

    @Nested
    class WhenAnotherBucketTookTheKey {

        @Test
        void namesThatBucket() {
            // Given
            await(gate.spill(bucket, key("o-1"), 7));

            // When
            DeductAnswer answer = await(gate.deduct(bucket, key("o-1"), qty(4)));

            // Then
            assertEquals(new DeductAnswer(SPILLED, 1, 10, 7, 10), answer);
        }

        @Test
        void namesThemInOrder() {
            // Given
            await(gate.spill(bucket, key("a"), 7));
            await(gate.spill(bucket, key("c"), 9_999));

            // When
            Response reply = probe.eval(Script.DEDUCT, bucket, List.of("a", "1", "b", "1", "c", "1", "a", "2"));

            // Then
            assertEquals("[1, 9, [6, 3, 6, 6], [7, 9999, 7], 10]", reply.toString());
        }

        @Test
        void prefersItsOwnHistory() {
            // Given
            deduct("o-1", 4);
            await(gate.spill(bucket, key("o-1"), 7));

            // When
            DeductCode code = deduct("o-1", 4);

            // Then
            assertEquals(DUPLICATE, code);
        }
    }

    @Nested
    class WhenTheBucketIsClosed {

        @Test
        void sellsToNoNewKey() {
            // Given
            await(gate.close(bucket));

            // When
            DeductCode code = deduct("o-1", 1);

            // Then
            assertEquals(CLOSED, code);
        }

        @Test
        void stillAnswersKnownFinishedAndSpilledKeys() {
            // Given
            deduct("known", 1);
            await(gate.entomb(bucket, key("finished")));
            await(gate.spill(bucket, key("spilled"), 7));
            await(gate.close(bucket));

            // When
            List<DeductCode> codes =
                    List.of(deduct("known", 1), deduct("known", 2), deduct("finished", 1), deduct("spilled", 1));

            // Then
            assertEquals(List.of(DUPLICATE, KEY_REUSED, FINISHED, SPILLED), codes);
        }

        @Test
        void sellsAgainOnceItIsOpened() {
            // Given
            await(gate.close(bucket));
            await(gate.open(bucket));

            // When
            DeductCode code = deduct("o-1", 1);

            // Then
            assertEquals(DEDUCTED, code);
        }
    }
}
