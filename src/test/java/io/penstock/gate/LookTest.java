package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.newBucket;
import static io.penstock.gate.RedisProbe.qty;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.BucketId;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class LookTest {

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    @Nested
    class WhenABucketIsInspected {

        @Test
        void showsStockBookAndClock() {
            // Given
            BucketId bucket = newBucket();
            probe.load(bucket, 3, new LoadedUnits(10, 0, 0, true, Map.of()));
            await(gate.adopt(bucket, key("a"), qty(4)));
            await(gate.adopt(bucket, key("b"), qty(1)));
            probe.loseEntries(bucket, "b");

            // When
            Inspection seen = await(gate.inspect(bucket));

            // Then
            assertEquals(new Inspection(true, 5, 10, 5, 2, 1, 3, true, seen.atMillis()), seen);
            assertTrue(seen.atMillis() > 1_600_000_000_000L, "milliseconds since the epoch");
        }

        @Test
        void showsZeroesIfItIsNotLoadedButSaysSo() {
            // Given
            BucketId bucket = probe.loaded(10);
            probe.send(Command.DEL, BucketKey.STOCK.of(bucket));

            // When
            Inspection seen = await(gate.inspect(bucket));

            // Then
            assertEquals(new Inspection(false, 0, 0, 0, 0, 0, 0, false, seen.atMillis()), seen);
        }
    }

    @Nested
    class WhenAKeyIsLookedUp {

        @Test
        void showsTheLiveEntry() {
            // Given
            BucketId bucket = probe.loaded(10);
            await(gate.deduct(bucket, key("o-1"), qty(4)));

            // When
            HeldEntry held = await(gate.find(bucket, key("o-1")));

            // Then
            assertEquals(new HeldEntry(true, OptionalInt.of(4), false, OptionalInt.empty()), held);
        }

        @Test
        void showsTombstoneAndPointer() {
            // Given
            BucketId bucket = probe.loaded(10);
            await(gate.entomb(bucket, key("o-1")));
            await(gate.spill(bucket, key("o-1"), 0));

            // When
            HeldEntry held = await(gate.find(bucket, key("o-1")));

            // Then
            assertEquals(new HeldEntry(true, OptionalInt.empty(), true, OptionalInt.of(0)), held);
        }

        @Test
        void showsTombstoneAndPointerButNoEntryIfTheBucketIsNotLoaded() {
            // Given
            BucketId bucket = probe.loaded(10);
            await(gate.deduct(bucket, key("o-1"), qty(4)));
            await(gate.spill(bucket, key("o-1"), 7));
            probe.send(Command.DEL, BucketKey.STOCK.of(bucket));

            // When
            HeldEntry held = await(gate.find(bucket, key("o-1")));

            // Then
            assertEquals(new HeldEntry(false, OptionalInt.empty(), false, OptionalInt.of(7)), held);
        }

        @Test
        void showsNothingOfAKeyItDoesNotKnow() {
            // When
            HeldEntry held = await(gate.find(probe.loaded(10), key("o-1")));

            // Then
            assertEquals(new HeldEntry(true, OptionalInt.empty(), false, OptionalInt.empty()), held);
        }
    }

    @Nested
    class WhenAPointerIsNoted {

        @Test
        void replacesAnEarlierOneAndNeedsNoLoadedBucket() {
            // Given
            BucketId home = newBucket();
            await(gate.spill(home, key("o-1"), 7));

            // When
            await(gate.spill(home, key("o-1"), 8));

            // Then
            assertEquals(OptionalInt.of(8), await(gate.find(home, key("o-1"))).spilledTo());
        }

        @Test
        void neverPointsAtTheBucketItself() {
            BucketId home = newBucket();
            assertThrows(IllegalArgumentException.class, () -> gate.spill(home, key("o-1"), home.bucketNo()));
            assertThrows(IllegalArgumentException.class, () -> gate.restoreStray(home, key("o-1"), home.bucketNo()));
        }
    }

    @Nested
    class WhenABucketIsClosedOrOpened {

        @Test
        void repeatsHarmlessly() {
            // Given
            BucketId bucket = probe.loaded(10);
            await(gate.close(bucket));
            await(gate.close(bucket));

            // When
            boolean closed = await(gate.inspect(bucket)).closed();
            await(gate.open(bucket));
            await(gate.open(bucket));
            boolean closedAfterOpen = await(gate.inspect(bucket)).closed();

            // Then
            assertTrue(closed);
            assertFalse(closedAfterOpen);
            probe.assertSound(bucket);
        }

        @Test
        void leavesABucketThatIsNotLoadedAlone() {
            // Given
            BucketId bucket = newBucket();

            // When
            await(gate.close(bucket));
            await(gate.open(bucket));

            // Then
            assertEquals(probe.state(newBucket()), probe.state(bucket));
        }
    }
}
