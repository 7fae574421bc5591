package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.newBucket;
import static io.penstock.gate.RedisProbe.qty;
import static io.penstock.gate.RestoreAnswer.NOT_LOADED;
import static io.penstock.gate.RestoreAnswer.RESTORED;
import static io.penstock.gate.RestoreAnswer.RESTORED_BEFORE;
import static io.penstock.gate.RestoreAnswer.UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.penstock.stock.DeductKey;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class GiveBackTest {

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    BucketId bucket;

    @BeforeEach
    void tenUnitsOfWhichFourAreSold() {
        bucket = probe.loaded(10);
        deduct("o-1", 4);
    }

    DeductCode deduct(String key, int qty) {
        return await(gate.deduct(bucket, key(key), qty(qty))).code();
    }

    @Nested
    class WhenADeductionIsRestored {

        @AfterEach
        void theBookIsRight() {
            probe.assertSound(bucket);
        }

        @Test
        void givesItsUnitsBackAndLeavesATombstone() {
            // When
            List<RestoreAnswer> answers = await(gate.restore(bucket, List.of(key("o-1"))));

            // Then
            assertEquals(List.of(RESTORED), answers);
            assertEquals(10, probe.stock(bucket));
            assertEquals(List.of("o-1"), probe.tombstones(bucket));
        }

        @Test
        void givesThemOnce() {
            // Given
            await(gate.restore(bucket, List.of(key("o-1"))));

            // When
            List<RestoreAnswer> answers = await(gate.restore(bucket, List.of(key("o-1"))));

            // Then
            assertEquals(List.of(RESTORED_BEFORE), answers);
            assertEquals(10, probe.stock(bucket));
        }

        @Test
        void givesThemOnceThoughTheKeyIsNamedTwiceInACall() {
            // When
            List<RestoreAnswer> answers = await(gate.restore(bucket, List.of(key("o-1"), key("new"), key("o-1"))));

            // Then
            assertEquals(List.of(RESTORED, UNKNOWN, RESTORED_BEFORE), answers);
            assertEquals(10, probe.stock(bucket));
        }

        @Test
        void leavesNothingOfAKeyItDoesNotKnow() {
            // Given
            Map<String, String> before = probe.state(bucket);

            // When
            List<RestoreAnswer> answers = await(gate.restore(bucket, List.of(key("new"))));

            // Then
            assertEquals(List.of(UNKNOWN), answers);
            assertEquals(before, probe.state(bucket));
        }

        @Test
        void worksInAClosedBucket() {
            // Given
            await(gate.close(bucket));

            // When
            List<RestoreAnswer> answers = await(gate.restore(bucket, List.of(key("o-1"))));

            // Then
            assertEquals(List.of(RESTORED), answers);
        }

        @Test
        void answersMoreKeysThanFitOneCallInOrder() {
            // Given
            bucket = probe.loaded(1_000);
            List<DeductKey> keys =
                    IntStream.range(0, 600).mapToObj(i -> key("many-" + i)).toList();
            keys.subList(0, 300).forEach(key -> await(gate.deduct(bucket, key, qty(2))));

            // When
            List<RestoreAnswer> answers = await(gate.restore(bucket, keys));

            // Then
            assertEquals(Collections.nCopies(300, RESTORED), answers.subList(0, 300));
            assertEquals(Collections.nCopies(300, UNKNOWN), answers.subList(300, 600));
            assertEquals(1_000, probe.stock(bucket));
        }

        @Test
        void asksNothingForNoKeys() {
            // When
            List<RestoreAnswer> answers = await(gate.restore(bucket, List.of()));

            // Then
            assertEquals(List.of(), answers);
        }
    }

    @Nested
    class WhenTheKeyIsSoldElsewhere {

        @AfterEach
        void theBookIsRight() {
            probe.assertSound(bucket);
        }

        @Test
        void leavesAPointerInPlaceOfTheTombstoneSinceTheKeyIsAlive() {
            // When
            RestoreAnswer answer = await(gate.restoreStray(bucket, key("o-1"), 7));

            // Then
            assertEquals(RESTORED, answer);
            assertEquals(10, probe.stock(bucket));
            assertEquals(List.of(), probe.tombstones(bucket));
            assertEquals(DeductCode.SPILLED, deduct("o-1", 4));
        }

        @Test
        void givesItsUnitsOnce() {
            // Given
            await(gate.restoreStray(bucket, key("o-1"), 7));

            // When
            RestoreAnswer answer = await(gate.restoreStray(bucket, key("o-1"), 7));

            // Then
            assertEquals(RESTORED_BEFORE, answer);
            assertEquals(10, probe.stock(bucket));
        }

        @Test
        void leavesNothingOfAKeyItDoesNotKnow() {
            // When
            RestoreAnswer answer = await(gate.restoreStray(bucket, key("new"), 7));

            // Then
            assertEquals(UNKNOWN, answer);
            assertEquals(DeductCode.DEDUCTED, deduct("new", 1));
        }
    }

    @Nested
    class WhenARolledBackFlowIsUnknownHere {

        @Test
        void owesNothingWhileNoEntryIsMissing() {
            // When
            RestoreAnswer answer = await(gate.repay(bucket, key("new"), qty(3)));

            // Then
            assertEquals(RESTORED_BEFORE, answer);
            assertEquals(6, probe.stock(bucket));
            assertEquals(DeductCode.FINISHED, deduct("new", 3));
            probe.assertSound(bucket);
        }

        @Test
        void paysWhenItsEntryWasLost() {
            // Given
            probe.loseEntries(bucket, "o-1");

            // When
            RestoreAnswer answer = await(gate.repay(bucket, key("o-1"), qty(4)));

            // Then
            assertEquals(RESTORED, answer);
            assertEquals(10, probe.stock(bucket));
            assertEquals(List.of("o-1"), probe.tombstones(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void paysOnce() {
            // Given
            deduct("o-2", 4);
            probe.loseEntries(bucket, "o-1", "o-2");
            await(gate.repay(bucket, key("o-1"), qty(4)));

            // When
            RestoreAnswer answer = await(gate.repay(bucket, key("o-1"), qty(4)));

            // Then
            assertEquals(RESTORED_BEFORE, answer);
            assertEquals(6, probe.stock(bucket));
        }

        @Test
        void paysAsManyTimesAsEntriesAreMissing() {
            // Given
            probe.loseEntries(bucket, "o-1");
            await(gate.repay(bucket, key("o-1"), qty(4)));

            // When
            RestoreAnswer answer = await(gate.repay(bucket, key("o-2"), qty(4)));

            // Then
            assertEquals(RESTORED_BEFORE, answer);
            assertEquals(10, probe.stock(bucket));
        }

        @Test
        void neverPaysMoreThanTheBookHoldsForLostEntries() {
            // Given
            probe.loseEntries(bucket, "o-1");

            // When
            RestoreAnswer answer = await(gate.repay(bucket, key("o-2"), qty(5)));

            // Then
            assertEquals(RESTORED_BEFORE, answer);
            assertEquals(6, probe.stock(bucket));
            probe.assertAddsUp(bucket);
        }

        @Test
        void restoresAnEntryThatIsThereAfterAllWithItsOwnQuantity() {
            // When
            RestoreAnswer answer = await(gate.repay(bucket, key("o-1"), qty(5)));

            // Then
            assertEquals(RESTORED, answer);
            assertEquals(10, probe.stock(bucket));
            probe.assertSound(bucket);
        }
    }

    @Nested
    class WhenTheRollbackArrivedFirst {

        @AfterEach
        void theBookIsRight() {
            probe.assertSound(bucket);
        }

        @Test
        void refusesTheLateDeductionAndLeavesTheStockAlone() {
            // Given
            await(gate.entomb(bucket, key("o-2")));

            // When
            DeductCode late = deduct("o-2", 2);

            // Then
            assertEquals(DeductCode.FINISHED, late);
            assertEquals(6, probe.stock(bucket));
        }

        @Test
        void saysThatTheTombstoneIsNew() {
            // When
            Entombed entombed = await(gate.entomb(bucket, key("o-2")));

            // Then
            assertEquals(new Entombed(RESTORED, 0), entombed);
        }

        @Test
        void saysThatTheTombstoneStoodBefore() {
            // Given
            await(gate.entomb(bucket, key("o-2")));

            // When
            Entombed entombed = await(gate.entomb(bucket, key("o-2")));

            // Then
            assertEquals(new Entombed(RESTORED_BEFORE, 0), entombed);
        }

        @Test
        void givesBackWhatTheBucketHolds() {
            // When
            Entombed entombed = await(gate.entomb(bucket, key("o-1")));

            // Then
            assertEquals(new Entombed(RESTORED, 4), entombed);
            assertEquals(10, probe.stock(bucket));
        }
    }

    @Nested
    class WhenALiveEntryHasATombstoneAllTheSame {

        @BeforeEach
        void aTombstoneThatNoScriptWrote() {
            probe.send(Command.ZADD, BucketKey.TOMBSTONES.of(bucket), 5, "o-1");
        }

        @AfterEach
        void theUnitsAreBackAndTheBookIsRight() {
            assertEquals(10, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void restoresIt() {
            assertEquals(List.of(RESTORED), await(gate.restore(bucket, List.of(key("o-1")))));
        }

        @Test
        void repaysIt() {
            assertEquals(RESTORED, await(gate.repay(bucket, key("o-1"), qty(4))));
        }

        @Test
        void entombsIt() {
            assertEquals(new Entombed(RESTORED, 4), await(gate.entomb(bucket, key("o-1"))));
        }
    }

    @Nested
    class WhenTheBucketIsNotLoaded {

        @Test
        void staysOwedAndLeavesNoTrace() {
            // Given
            bucket = newBucket();

            // When
            List<RestoreAnswer> answers = List.of(
                    await(gate.restore(bucket, List.of(key("a")))).get(0),
                    await(gate.restoreStray(bucket, key("a"), 7)),
                    await(gate.repay(bucket, key("a"), qty(1))),
                    await(gate.entomb(bucket, key("a"))).answer());

            // Then
            assertEquals(Collections.nCopies(4, NOT_LOADED), answers);
            assertEquals(probe.state(newBucket()), probe.state(bucket));
        }
    }
}
