package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.newBucket;
import static io.penstock.gate.RedisProbe.qty;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.penstock.stock.BucketId;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TransferTest {

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    BucketId bucket;

    @BeforeEach
    void tenUnitsInEpochFive() {
        bucket = newBucket();
        probe.load(bucket, 5, new LoadedUnits(10, 0, 0, false, Map.of()));
    }

    @AfterEach
    void theBookIsRight() {
        probe.assertSound(bucket);
    }

    @Nested
    class WhenUnitsAreWithdrawn {

        @Test
        void takesThemFromStockAndAllotment() {
            // When
            Moved moved = await(gate.withdraw(bucket, "7/out", 4, 5));

            // Then
            assertEquals(new Moved.Units(4), moved);
            assertEquals(6, probe.stock(bucket));
            assertEquals("6", probe.book(bucket).get("allotment"));
        }

        @Test
        void takesThemOnceAndAnswersTheSameAgain() {
            // Given
            await(gate.withdraw(bucket, "7/out", 4, 5));

            // When
            Moved again = await(gate.withdraw(bucket, "7/out", 9, 5));

            // Then
            assertEquals(new Moved.Units(4), again);
            assertEquals(6, probe.stock(bucket));
        }

        @Test
        void takesWhatThereIs() {
            // Given
            await(gate.deduct(bucket, key("o-1"), qty(7)));

            // When
            Moved moved = await(gate.withdraw(bucket, "7/out", 100, 5));

            // Then
            assertEquals(new Moved.Units(3), moved);
            assertEquals(0, probe.stock(bucket));
        }

        @Test
        void remembersThatThereWasNothing() {
            // Given
            await(gate.deduct(bucket, key("o-1"), qty(10)));
            await(gate.withdraw(bucket, "7/out", 100, 5));
            await(gate.restore(bucket, List.of(key("o-1"))));

            // When
            Moved again = await(gate.withdraw(bucket, "7/out", 100, 5));

            // Then
            assertEquals(new Moved.Units(0), again);
            assertEquals(10, probe.stock(bucket));
        }

        @Test
        void takesNothingFromAStockBelowZero() {
            // Given
            await(gate.adopt(bucket, key("lost"), qty(12)));

            // When
            Moved moved = await(gate.withdraw(bucket, "7/out", 100, 5));

            // Then
            assertEquals(new Moved.Units(0), moved);
            assertEquals(-2, probe.stock(bucket));
        }

        @Test
        void takesThemFromAClosedBucketToo() {
            // Given
            await(gate.close(bucket));

            // When
            Moved moved = await(gate.withdraw(bucket, "7/out", 100, 5));

            // Then
            assertEquals(new Moved.Units(10), moved);
        }
    }

    @Nested
    class WhenUnitsAreDeposited {

        @Test
        void addsThemToStockAndAllotment() {
            // When
            Moved moved = await(gate.deposit(bucket, "7/in", 4, 5));

            // Then
            assertEquals(new Moved.Units(4), moved);
            assertEquals(14, probe.stock(bucket));
            assertEquals("14", probe.book(bucket).get("allotment"));
        }

        @Test
        void addsThemOnceAndAnswersTheSameAgain() {
            // Given
            await(gate.deposit(bucket, "7/in", 4, 5));

            // When
            Moved again = await(gate.deposit(bucket, "7/in", 4, 5));

            // Then
            assertEquals(new Moved.Units(4), again);
            assertEquals(14, probe.stock(bucket));
        }

        @Test
        void bringsBackWhatWasWithdrawn() {
            // Given
            await(gate.withdraw(bucket, "7/out", 4, 5));

            // When
            await(gate.deposit(bucket, "7/back", 4, 5));

            // Then
            assertEquals(10, probe.stock(bucket));
        }

        @Test
        void keepsAHundredTrillionUnitsExactly() {
            // When
            await(gate.deposit(bucket, "7/in", 100_000_000_000_000L, 5));

            // Then
            assertEquals(100_000_000_000_010L, probe.stock(bucket));
            assertEquals("100000000000010", probe.book(bucket).get("allotment"));
        }

        @Test
        void refusesMoreThanItCanCountExactly() {
            // Given
            await(gate.deposit(bucket, "7/in", 999_999_999_999_000L, 5));
            Map<String, String> before = probe.state(bucket);

            // When
            assertThrows(GateUnavailable.class, () -> await(gate.deposit(bucket, "8/in", 990, 5)));

            // Then
            assertEquals(before, probe.state(bucket));
        }
    }

    @Nested
    class WhenTheIdOfOneDirectionIsUsedForTheOther {

        @Test
        void fails() {
            // Given
            await(gate.withdraw(bucket, "7/out", 4, 5));
            await(gate.deposit(bucket, "8/in", 4, 5));
            Map<String, String> before = probe.state(bucket);

            // When
            assertThrows(GateUnavailable.class, () -> await(gate.deposit(bucket, "7/out", 4, 5)));
            assertThrows(GateUnavailable.class, () -> await(gate.withdraw(bucket, "8/in", 4, 5)));

            // Then
            assertEquals(before, probe.state(bucket));
        }
    }

    @Nested
    class WhenTheBucketIsOfAnotherEpoch {

        @Test
        void movesNothingBeforeOrAfterIt() {
            // Given
            Map<String, String> before = probe.state(bucket);

            // When
            List<Moved> moved = List.of(
                    await(gate.withdraw(bucket, "7/out", 4, 4)),
                    await(gate.withdraw(bucket, "7/out", 4, 6)),
                    await(gate.deposit(bucket, "7/in", 4, 4)),
                    await(gate.deposit(bucket, "7/in", 4, 6)));

            // Then
            Moved other = new Moved.OtherEpoch();
            assertEquals(List.of(other, other, other, other), moved);
            assertEquals(before, probe.state(bucket));
        }

        @Test
        void movesNothingIfItIsNotLoaded() {
            // When
            List<Moved> moved = List.of(
                    await(gate.withdraw(newBucket(), "7/out", 4, 5)), await(gate.deposit(newBucket(), "7/in", 4, 5)));

            // Then
            assertEquals(List.of(new Moved.OtherEpoch(), new Moved.OtherEpoch()), moved);
        }
    }

    @Nested
    class WhenTheIdIsNoTransferId {

        @Test
        void isRefusedBeforeItIsSentSinceItCouldBeAFieldOfTheBook() {
            assertThrows(IllegalArgumentException.class, () -> gate.withdraw(bucket, "allotment", 1, 5));
            assertThrows(IllegalArgumentException.class, () -> gate.deposit(bucket, "count", 1, 5));
            assertThrows(IllegalArgumentException.class, () -> gate.deposit(bucket, "7/in", -1, 5));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> gate.finish(bucket, 6, new LoadedUnits(1, 0, 0, false, Map.of("epoch", 1L))));
        }
    }
}
