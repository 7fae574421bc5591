package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.newBucket;
import static io.penstock.gate.RedisProbe.qty;
import static io.penstock.gate.RestoreAnswer.NOT_LOADED;
import static io.penstock.gate.RestoreAnswer.RESTORED;
import static io.penstock.gate.RestoreAnswer.RESTORED_BEFORE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.stock.BucketId;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CalibrateTest {

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    BucketId bucket;

    @BeforeEach
    void tenUnitsOfWhichFourAreSold() {
        bucket = probe.loaded(10);
        await(gate.deduct(bucket, key("o-1"), qty(4)));
    }

    @Nested
    class WhenTheLedgerSaysAKeyIsSold {

        @Test
        void changesNothingIfTheEntrySaysSo() {
            // Given
            Map<String, String> before = probe.state(bucket);

            // When
            RestoreAnswer answer = await(gate.adopt(bucket, key("o-1"), qty(4)));

            // Then
            assertEquals(RESTORED_BEFORE, answer);
            assertEquals(before, probe.state(bucket));
        }

        @Test
        void writesALostDeductionAndTakesItsUnits() {
            // When
            RestoreAnswer answer = await(gate.adopt(bucket, key("lost"), qty(3)));

            // Then
            assertEquals(RESTORED, answer);
            assertEquals(3, probe.stock(bucket));
            assertEquals(Map.of("o-1", "4", "lost", "3"), probe.history(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void takesThemBelowZeroIfNeedBe() {
            // When
            await(gate.adopt(bucket, key("lost"), qty(7)));

            // Then
            assertEquals(-1, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void takesNoUnitsIfOnlyTheEntryWasLost() {
            // Given
            probe.loseEntries(bucket, "o-1");

            // When
            RestoreAnswer answer = await(gate.adopt(bucket, key("o-1"), qty(4)));

            // Then
            assertEquals(RESTORED, answer);
            assertEquals(6, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void correctsALargerQuantityByTheDifference() {
            // When
            RestoreAnswer answer = await(gate.adopt(bucket, key("o-1"), qty(1)));

            // Then
            assertEquals(RESTORED, answer);
            assertEquals(9, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void correctsASmallerQuantityByTheDifference() {
            // When
            await(gate.adopt(bucket, key("o-1"), qty(6)));

            // Then
            assertEquals(4, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void neverTouchesATombstonedKey() {
            // Given
            await(gate.entomb(bucket, key("o-1")));
            Map<String, String> before = probe.state(bucket);

            // When
            RestoreAnswer answer = await(gate.adopt(bucket, key("o-1"), qty(4)));

            // Then
            assertEquals(RESTORED_BEFORE, answer);
            assertEquals(before, probe.state(bucket));
        }

        @Test
        void endsTheLoadThatMayHaveReadTheLedgerBefore() {
            // Given
            BucketId loading = newBucket();
            await(gate.begin(loading, 1));

            // When
            RestoreAnswer answer = await(gate.adopt(loading, key("late"), qty(4)));

            // Then
            assertEquals(NOT_LOADED, answer);
            assertEquals(Claim.REFUSED, await(gate.finish(loading, 1, new LoadedUnits(10, 0, 0, false, Map.of()))));
            assertEquals(Claim.TAKEN, await(gate.begin(loading, 1)));
        }

        @Test
        void waitsForTheLoadIfTheBucketIsNotLoaded() {
            // When
            RestoreAnswer answer = await(gate.adopt(newBucket(), key("o-1"), qty(4)));

            // Then
            assertEquals(NOT_LOADED, answer);
        }
    }

    @Nested
    class WhenTheBookIsRecounted {

        @Test
        void changesNothingIfAllIsRight() {
            // Given
            Inspection seen = await(gate.inspect(bucket));

            // When
            Recounted recounted = await(gate.recount(bucket, seen, 10));

            // Then
            assertEquals(new Recounted.Corrected(0), recounted);
            assertEquals(6, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void putsLostEntriesBackOnSale() {
            // Given
            probe.loseEntries(bucket, "o-1");
            Inspection seen = await(gate.inspect(bucket));

            // When
            Recounted recounted = await(gate.recount(bucket, seen, 10));

            // Then
            assertEquals(new Recounted.Corrected(4), recounted);
            assertEquals(10, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void takesTheAllotmentFromTheLedger() {
            // Given
            Inspection seen = await(gate.inspect(bucket));

            // When
            Recounted recounted = await(gate.recount(bucket, seen, 3));

            // Then
            assertEquals(new Recounted.Corrected(-7), recounted);
            assertEquals(-1, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void rightsAStockThatSomeoneElseWrote() {
            // Given
            probe.send(Command.SET, BucketKey.STOCK.of(bucket), 1_000);
            Inspection seen = await(gate.inspect(bucket));

            // When
            Recounted recounted = await(gate.recount(bucket, seen, 10));

            // Then
            assertEquals(new Recounted.Corrected(-994), recounted);
            probe.assertSound(bucket);
        }

        @Test
        void refusesIfADeductionCameBetween() {
            // Given
            Inspection seen = await(gate.inspect(bucket));
            await(gate.deduct(bucket, key("o-2"), qty(1)));

            // When
            Recounted recounted = await(gate.recount(bucket, seen, 10));

            // Then
            assertEquals(new Recounted.Moved(), recounted);
        }

        @Test
        void refusesIfAnyOfTheNumbersSeenIsAnother() {
            // Given
            Inspection seen = await(gate.inspect(bucket));
            List<String> right = List.of("1", "6", "10", "4", "1", "1");
            Map<String, String> before = probe.state(bucket);

            for (int other = 0; other < right.size(); other++) {
                List<String> args = new ArrayList<>(right);
                args.set(other, "77");
                args.add("10");

                // When
                String reply = probe.eval(Script.RECOUNT, bucket, args).toString();

                // Then
                assertEquals("[0, 0]", reply, "number " + other + " of " + seen);
            }
            assertEquals(before, probe.state(bucket));
        }

        @Test
        void refusesIfTheBucketWasLoadedAgainWithTheSameNumbers() {
            // Given
            Inspection seen = await(gate.inspect(bucket));
            probe.send(Command.DEL, BucketKey.STOCK.of(bucket));
            await(gate.begin(bucket, 2));
            await(gate.stage(bucket, 2, Map.of(key("o-1"), qty(4))));
            await(gate.finish(bucket, 2, new LoadedUnits(10, 4, 1, false, Map.of())));

            // When
            Recounted recounted = await(gate.recount(bucket, seen, 10));

            // Then
            assertEquals(new Recounted.Moved(), recounted);
        }

        @Test
        void refusesABucketThatIsNotLoaded() {
            // Given
            Inspection seen = await(gate.inspect(bucket));
            probe.send(Command.DEL, BucketKey.STOCK.of(bucket));

            // When
            List<Recounted> recounted = List.of(
                    await(gate.recount(bucket, seen, 10)),
                    await(gate.recount(bucket, await(gate.inspect(bucket)), 10)));

            // Then
            assertEquals(List.of(new Recounted.Moved(), new Recounted.Moved()), recounted);
        }
    }
}
