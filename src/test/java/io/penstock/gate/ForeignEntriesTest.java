package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.qty;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.BucketId;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Entries that no script wrote: someone did, by hand, or a restore of Redis from elsewhere. */
@QuarkusTest
class ForeignEntriesTest {

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    BucketId bucket;

    @BeforeEach
    void tenUnitsOfWhichFourAreSold() {
        bucket = probe.loaded(10);
        await(gate.deduct(bucket, key("sold"), qty(4)));
    }

    private void write(String key, String entry) {
        probe.send(Command.HSET, BucketKey.HISTORY.of(bucket), key, entry);
    }

    private int remove(String... keys) {
        return await(gate.remove(bucket, await(gate.inspect(bucket)), List.of(keys)));
    }

    @Nested
    class WhenEntriesAreRemoved {

        @Test
        void takesThemOutWithoutAddingUnitsIfTheRestFitsTheBook() {
            // Given
            write("foreign-1", "2");
            write("foreign-2", "3");

            // When
            int removed = remove("foreign-1", "foreign-2");

            // Then
            assertEquals(2, removed);
            assertEquals(Map.of("sold", "4"), probe.history(bucket));
            assertEquals(6, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void keepsThemAllIfOneOfThemWasDeducted() {
            // Given
            write("foreign", "4");

            // When
            int removed = remove("foreign", "sold");

            // Then
            assertEquals(0, removed);
            assertEquals(Map.of("sold", "4", "foreign", "4"), probe.history(bucket));
        }

        @Test
        void keepsThemIfTheSumDoesNotFit() {
            // Given
            await(gate.deduct(bucket, key("also-sold"), qty(1)));
            write("foreign", "1");
            write("sold", "3");

            // When
            int removed = remove("foreign");

            // Then
            assertEquals(0, removed);
        }

        @Test
        void takesOutWhatCanBeNoDeductionAtAnyRate() {
            // Given
            write("no deduct key", "1");
            write("no-quantity", "many");
            write("might-be", "1");
            await(gate.deduct(bucket, key("also-sold"), qty(1)));

            // When
            int removed = remove("no deduct key", "no-quantity", "might-be", "also-sold");

            // Then
            assertEquals(2, removed);
            assertEquals(Map.of("sold", "4", "also-sold", "1", "might-be", "1"), probe.history(bucket));
        }

        @Test
        void keepsEverythingIfSomethingMovedMeanwhile() {
            // Given
            write("foreign", "2");
            Inspection seen = await(gate.inspect(bucket));
            await(gate.deduct(bucket, key("late"), qty(1)));

            // When
            int removed = await(gate.remove(bucket, seen, List.of("foreign")));

            // Then
            assertEquals(0, removed);
        }

        @Test
        void keepsEverythingInABucketThatIsNotLoaded() {
            // Given
            write("foreign", "2");
            Inspection seen = await(gate.inspect(bucket));
            probe.send(Command.DEL, BucketKey.STOCK.of(bucket));

            // When
            int removed = await(gate.remove(bucket, seen, List.of("foreign")));

            // Then
            assertEquals(0, removed);
        }
    }

    @Nested
    class WhenTheHistoryIsScanned {

        private Map<String, String> scanned() {
            Map<String, String> all = new HashMap<>();
            String cursor = HistoryPage.FIRST;
            HistoryPage page;
            do {
                page = await(gate.scan(bucket, cursor));
                all.putAll(page.entries());
                cursor = page.next();
            } while (!page.isLast());
            return all;
        }

        @Test
        void givesEveryEntryOfALongOne() {
            // Given
            IntStream.range(0, 5_000).forEach(i -> write("key-" + i, "1"));

            // When
            Map<String, String> all = scanned();

            // Then
            assertEquals(5_001, all.size());
            assertEquals("4", all.get("sold"));
        }

        @Test
        void givesNothingOfABucketWithoutOne() {
            // Given
            probe.send(Command.DEL, BucketKey.HISTORY.of(bucket));

            // Then
            assertTrue(scanned().isEmpty());
        }

        @Test
        void tellsWhichOfManyKeysAreHeld() {
            // Given
            List<String> asked =
                    IntStream.range(0, 600).mapToObj(i -> "key-" + i).toList();
            write("key-0", "1");
            write("key-300", "2");
            write("key-599", "3");

            // When
            Map<String, String> held = await(gate.held(bucket, asked));

            // Then
            assertEquals(Map.of("key-0", "1", "key-300", "2", "key-599", "3"), held);
        }
    }
}
