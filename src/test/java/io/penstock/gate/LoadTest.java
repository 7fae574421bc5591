package io.penstock.gate;

import static io.penstock.gate.Claim.REFUSED;
import static io.penstock.gate.Claim.TAKEN;
import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.newBucket;
import static io.penstock.gate.RedisProbe.qty;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class LoadTest {

    static final LoadedUnits TEN = new LoadedUnits(10, 0, 0, false, Map.of());

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    BucketId bucket;

    @BeforeEach
    void aBucketThatIsNotLoaded() {
        bucket = newBucket();
    }

    @Nested
    class WhenItBegins {

        @Test
        void claimsTheBucketWithoutCreatingAStock() {
            // When
            Claim claim = await(gate.begin(bucket, 1));

            // Then
            assertEquals(TAKEN, claim);
            assertNull(probe.send(Command.GET, BucketKey.STOCK.of(bucket)));
            assertEquals(
                    DeductCode.NOT_LOADED,
                    await(gate.deduct(bucket, key("o-1"), qty(1))).code());
        }

        @Test
        void replacesTheClaimOfALowerEpochAndWhatWasStagedUnderIt() {
            // Given
            await(gate.begin(bucket, 1));
            await(gate.stage(bucket, 1, Map.of(key("o-1"), qty(4))));

            // When
            Claim claim = await(gate.begin(bucket, 2));

            // Then
            assertEquals(TAKEN, claim);
            assertEquals(Map.of("epoch", "2", "staged", "0"), probe.hash(BucketKey.CLAIM, bucket));
            assertEquals(Map.of(), probe.hash(BucketKey.STAGED, bucket));
        }

        @Test
        void yieldsToTheClaimOfAHigherEpoch() {
            // Given
            await(gate.begin(bucket, 10));

            // When
            Claim claim = await(gate.begin(bucket, 9));

            // Then
            assertEquals(REFUSED, claim);
        }

        @Test
        void mayBeginAgainInItsOwnEpochSinceTheAnswerMayBeLost() {
            // Given
            await(gate.begin(bucket, 1));

            // When
            Claim claim = await(gate.begin(bucket, 1));

            // Then
            assertEquals(TAKEN, claim);
        }

        @Test
        void leavesALoadedBucketItsUnitsAndEntries() {
            // Given
            probe.load(bucket, 2, TEN);
            Map<String, String> before = probe.state(bucket);

            // When
            Claim claim = await(gate.begin(bucket, 1));

            // Then
            assertEquals(REFUSED, claim);
            assertEquals(before, probe.state(bucket));
        }

        @Test
        void raisesALoadedBucketToTheEpochThatTheLedgerHasAlready() {
            // Given two loaders that saw it missing: the ledger is in epoch 2, and the first has loaded it in epoch 1
            probe.load(bucket, 1, TEN);

            // When
            Claim claim = await(gate.begin(bucket, 2));

            // Then
            assertEquals(REFUSED, claim);
            assertEquals(2, await(gate.inspect(bucket)).epoch());
            assertEquals(10, await(gate.inspect(bucket)).stock());
        }
    }

    @Nested
    class WhenEntriesAreStaged {

        @Test
        void refusesAnEpochThatIsNotTheClaims() {
            // Given
            await(gate.begin(bucket, 2));

            // When
            List<Claim> claims = List.of(
                    await(gate.stage(bucket, 1, Map.of(key("o-1"), qty(4)))),
                    await(gate.stageFinished(bucket, 1, List.of(key("o-2")))),
                    await(gate.stage(newBucket(), 2, Map.of(key("o-1"), qty(4)))));

            // Then
            assertEquals(List.of(REFUSED, REFUSED, REFUSED), claims);
            assertEquals(Map.of(), probe.hash(BucketKey.STAGED, bucket));
            assertEquals(List.of(), probe.tombstones(bucket));
        }

        @Test
        void countsAPageThatComesTwiceOnce() {
            // Given
            await(gate.begin(bucket, 1));
            await(gate.stage(bucket, 1, Map.of(key("o-1"), qty(4), key("o-2"), qty(1))));

            // When
            await(gate.stage(bucket, 1, Map.of(key("o-1"), qty(3), key("o-2"), qty(1))));

            // Then
            assertEquals(Map.of("epoch", "1", "staged", "4"), probe.hash(BucketKey.CLAIM, bucket));
        }

        @Test
        void takesMoreThanFitOneCall() {
            // Given
            await(gate.begin(bucket, 1));
            Map<DeductKey, Quantity> page = new LinkedHashMap<>();
            IntStream.range(0, 700).forEach(i -> page.put(key("o-" + i), qty(2)));
            List<DeductKey> finished =
                    IntStream.range(0, 700).mapToObj(i -> key("f-" + i)).toList();

            // When
            await(gate.stage(bucket, 1, page));
            await(gate.stageFinished(bucket, 1, finished));
            Claim claim = await(gate.finish(bucket, 1, new LoadedUnits(2_000, 1_400, 700, false, Map.of())));

            // Then
            assertEquals(TAKEN, claim);
            assertEquals(700, probe.history(bucket).size());
            assertEquals(700, probe.tombstones(bucket).size());
            probe.assertSound(bucket);
        }

        @Test
        void keepsTheAgeOfATombstoneThatStands() {
            // Given
            await(gate.begin(bucket, 1));
            probe.send(Command.ZADD, BucketKey.TOMBSTONES.of(bucket), 5, "old");

            // When
            await(gate.stageFinished(bucket, 1, List.of(key("old"))));

            // Then
            assertEquals(
                    5,
                    probe.send(Command.ZSCORE, BucketKey.TOMBSTONES.of(bucket), "old")
                            .toInteger());
        }
    }

    @Nested
    class WhenItFinishes {

        @Test
        void putsStockHistoryAndBookInPlaceAndDropsTheClaim() {
            // Given
            await(gate.begin(bucket, 3));
            await(gate.stage(bucket, 3, Map.of(key("o-1"), qty(4))));

            // When
            Claim claim = await(gate.finish(bucket, 3, new LoadedUnits(10, 4, 1, false, Map.of())));

            // Then
            assertEquals(TAKEN, claim);
            assertEquals(6, probe.stock(bucket));
            assertEquals(Map.of("o-1", "4"), probe.history(bucket));
            assertEquals(
                    Map.of("allotment", "10", "deducted", "4", "count", "1", "epoch", "3", "closed", "0"),
                    probe.book(bucket));
            assertEquals(Map.of(), probe.hash(BucketKey.CLAIM, bucket));
            assertEquals(Map.of(), probe.hash(BucketKey.STAGED, bucket));
            probe.assertSound(bucket);
        }

        @Test
        void replacesWhatWasLeftOfTheBucketButKeepsTombstonesAndPointers() {
            // Given
            probe.load(bucket, 1, TEN);
            await(gate.deduct(bucket, key("old"), qty(1)));
            await(gate.entomb(bucket, key("finished")));
            await(gate.spill(bucket, key("spilled"), 7));
            await(gate.deposit(bucket, "7/in", 5, 1));
            probe.send(Command.DEL, BucketKey.STOCK.of(bucket));

            // When
            probe.load(bucket, 2, TEN);

            // Then
            assertEquals(10, probe.stock(bucket));
            assertEquals(Map.of(), probe.history(bucket));
            assertEquals(5, probe.book(bucket).size());
            assertEquals(
                    DeductCode.FINISHED,
                    await(gate.deduct(bucket, key("finished"), qty(1))).code());
            assertEquals(
                    DeductCode.SPILLED,
                    await(gate.deduct(bucket, key("spilled"), qty(1))).code());
            probe.assertSound(bucket);
        }

        @Test
        void replacesAStockThatLostItsBook() {
            // Given
            probe.load(bucket, 1, TEN);
            probe.send(Command.DEL, BucketKey.BOOK.of(bucket));

            // When
            probe.load(bucket, 2, new LoadedUnits(8, 0, 0, false, Map.of()));

            // Then
            assertEquals(8, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void loadsAClosedBucketClosed() {
            // When
            probe.load(bucket, 1, new LoadedUnits(10, 0, 0, true, Map.of()));

            // Then
            assertEquals(
                    DeductCode.CLOSED,
                    await(gate.deduct(bucket, key("o-1"), qty(1))).code());
        }

        @Test
        void knowsTheTransfersThatItsUnitsInclude() {
            // Given
            probe.load(bucket, 4, new LoadedUnits(10, 0, 0, false, Map.of("7/in", 3L, "8/out", -2L)));

            // When
            List<Moved> repeated =
                    List.of(await(gate.deposit(bucket, "7/in", 3, 4)), await(gate.withdraw(bucket, "8/out", 9, 4)));

            // Then
            assertEquals(List.of(new Moved.Units(3), new Moved.Units(2)), repeated);
            assertEquals(10, probe.stock(bucket));
        }

        @Test
        void refusesOnceTheClaimIsAnothers() {
            // Given
            await(gate.begin(bucket, 1));
            await(gate.begin(bucket, 2));

            // When
            Claim late = await(gate.finish(bucket, 1, TEN));

            // Then
            assertEquals(REFUSED, late);
            assertNull(probe.send(Command.GET, BucketKey.STOCK.of(bucket)));
        }

        @Test
        void refusesASecondTimeSinceTheBucketHasSoldMeanwhile() {
            // Given
            probe.load(bucket, 1, TEN);
            await(gate.deduct(bucket, key("o-1"), qty(1)));
            Map<String, String> before = probe.state(bucket);

            // When
            Claim again = await(gate.finish(bucket, 1, TEN));

            // Then
            assertEquals(REFUSED, again);
            assertEquals(before, probe.state(bucket));
        }

        @Test
        void refusesIfAnEntryIsMissingOrTheSumIsAnother() {
            // Given
            await(gate.begin(bucket, 1));
            await(gate.stage(bucket, 1, Map.of(key("o-1"), qty(4))));
            Map<String, String> before = probe.state(bucket);

            // When
            List<Claim> claims = List.of(
                    await(gate.finish(bucket, 1, new LoadedUnits(10, 4, 2, false, Map.of()))),
                    await(gate.finish(bucket, 1, new LoadedUnits(10, 5, 1, false, Map.of()))),
                    await(gate.finish(bucket, 1, TEN)));

            // Then
            assertEquals(List.of(REFUSED, REFUSED, REFUSED), claims);
            assertEquals(before, probe.state(bucket));
        }
    }
}
