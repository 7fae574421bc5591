package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.penstock.ledger.AdjustmentLedger.Adjustment;
import io.penstock.ledger.AdjustmentLedger.Part;
import io.penstock.ledger.AdjustmentLedger.State;
import io.penstock.stock.BucketState;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class AdjustmentLedgerTest extends LedgerTest {

    private Adjustment give(SkuId sku, String key, long delta) {
        return await(adjustments.give(sku, key(key), delta, "restock"));
    }

    private Adjustment beginTaking(SkuId sku, String key, long delta) {
        return await(adjustments.beginTaking(sku, key(key), delta, "recall"));
    }

    private Part start(SkuId sku, String key, int bucketNo, long units) {
        return await(adjustments.startPart(
                sku, key(key), bucketNo, units, bucket(sku, bucketNo).epoch()));
    }

    private Adjustment take(SkuId sku, String key, Part... withdrawn) {
        return await(adjustments.take(sku, key(key), List.of(withdrawn)));
    }

    private Adjustment partsDone(SkuId sku, String key, Adjustment adjustment) {
        return await(adjustments.partsDone(
                sku, key(key), adjustment.parts().stream().map(Part::transferId).toList()));
    }

    private static Part withUnits(Part part, long units) {
        return new Part(part.transferId(), part.bucketNo(), units, part.epoch(), part.state());
    }

    private Map<String, Long> transfers(SkuId sku, int bucketNo) {
        return await(skus.snapshot(sku, bucketNo, Snapshot::units)).transfers();
    }

    private List<String> skuJournal(SkuId sku) {
        return tables.column("""
                SELECT CONCAT_WS(' ', changed, bucket_no, why, before_value, after_value)
                  FROM stock_journal WHERE sku_id = ? AND changed_by = 'adjustment' ORDER BY id
                """, sku.value());
    }

    @Nested
    class WhenUnitsAreGiven {

        @Test
        void putsThemIntoTheLedgerAtOnceAndOwesThemToTheGate() {
            // Given
            SkuId sku = gated(10, 1, 2, 3);

            // When
            Adjustment given = give(sku, "r-1", 5);

            // Then
            assertEquals(
                    new Adjustment(
                            sku,
                            "r-1",
                            5,
                            State.OPEN,
                            false,
                            List.of(
                                    new Part("adjust/r-1/1", 1, 2, 0, TransferState.MOVED),
                                    new Part("adjust/r-1/2", 2, 2, 0, TransferState.MOVED),
                                    new Part("adjust/r-1/3", 3, 1, 0, TransferState.MOVED))),
                    given);
            assertEquals(15, await(skus.find(sku)).orElseThrow().available());
            assertEquals(5, await(skus.underway(sku)).moving());
            assertEquals(Map.of("adjust/r-1/2", 2L), transfers(sku, 2));
            assertEquals("GIVEN 1 r-1: restock 4 6", skuJournal(sku).get(0));
        }

        @Test
        void givesNothingToABucketWhoseShareIsNothing() {
            // Given
            SkuId sku = gated(0, 1, 2, 3);

            // When
            Adjustment given = give(sku, "r-1", 2);

            // Then
            assertEquals(
                    List.of(1, 2), given.parts().stream().map(Part::bucketNo).toList());
        }

        @Test
        void leavesRetiredBucketsOut() {
            // Given
            SkuId sku = gated(9, 1, 2, 3);
            tables.change("UPDATE sku_bucket SET state = 'OFFLINE' WHERE sku_id = ? AND bucket_no = 2", sku.value());

            // When
            Adjustment given = give(sku, "r-1", 5);

            // Then
            assertEquals(
                    List.of(1, 3), given.parts().stream().map(Part::bucketNo).toList());
            assertEquals(3, available(sku, 2));
        }

        @Test
        void answersAKnownKeyAsItIsWhateverIsAskedNow() {
            // Given
            SkuId sku = gated(10, 1);
            give(sku, "r-1", 5);

            // When
            Adjustment again = give(sku, "r-1", 7);

            // Then
            assertEquals(5, again.delta());
            assertEquals(true, again.repeated());
            assertEquals(15, available(sku, 1));
        }

        @Test
        void isDoneWithTheLastPart() {
            // Given
            SkuId sku = gated(10, 1, 2);
            give(sku, "r-1", 5);

            // When
            Adjustment half = await(adjustments.partsDone(sku, key("r-1"), List.of("adjust/r-1/2")));
            Adjustment whole = await(adjustments.partsDone(sku, key("r-1"), List.of("adjust/r-1/1")));

            // Then
            assertEquals(State.OPEN, half.state());
            assertEquals(State.DONE, whole.state());
            assertEquals(whole, partsDone(sku, "r-1", whole));
            assertEquals(0, await(skus.underway(sku)).moving());
            assertEquals(Map.of(), transfers(sku, 2));
        }

        @Test
        void isToBeDepositedInTheEpochTheBucketHasNow() {
            // Given
            SkuId sku = gated(10, 1);
            give(sku, "r-1", 5);
            await(skus.raiseEpoch(sku, 1));

            // When
            Adjustment again = give(sku, "r-1", 5);

            // Then
            assertEquals(1, again.parts().get(0).epoch());
            assertEquals(Map.of("adjust/r-1/1", 5L), transfers(sku, 1));
        }

        @Test
        void isDoneAtOnceForASkuWithoutGate() {
            // Given
            SkuId sku = ungated(10);

            // When
            Adjustment given = give(sku, "r-1", 5);

            // Then
            assertEquals(State.DONE, given.state());
            assertEquals(List.of(new Part("adjust/r-1/0", 0, 5, 0, TransferState.DONE)), given.parts());
            assertEquals(15, available(sku, 0));
            assertEquals(0, await(skus.underway(sku)).moving());
        }

        @Test
        void refusesATotalThatIsTooLargeAndLeavesTheKeyUnused() {
            // Given
            SkuId sku = gated(TotalTooLarge.MOST - 5, 1, 2);

            // When
            assertThrows(TotalTooLarge.class, () -> give(sku, "r-1", 6));

            // Then
            assertEquals(false, give(sku, "r-1", 5).repeated());
            assertEquals(TotalTooLarge.MOST, await(skus.find(sku)).orElseThrow().total());
        }

        @Test
        void refusesAnUnknownSku() {
            // Given
            SkuId sku = newSku();

            // When
            assertThrows(UnknownSku.class, () -> give(sku, "r-1", 6));

            // Then
            assertEquals(0, tables.number("SELECT COUNT(*) FROM stock_adjustment WHERE sku_id = ?", sku.value()));
        }

        @Test
        void givesOnceWhenManyAskAtOnce() {
            // Given
            SkuId sku = gated(10, 1, 2);

            // When
            List<Adjustment> all = together(IntStream.range(0, 40)
                    .mapToObj(i -> adjustments.give(sku, key("r-" + i % 2), 5, null))
                    .toList());

            // Then
            assertEquals(20, await(skus.find(sku)).orElseThrow().available());
            assertEquals(
                    4,
                    all.stream().flatMap(one -> one.parts().stream()).distinct().count());
        }

        @Test
        void keepsAdjustmentKeysOfTwoSkusAndOfTwoCasesApart() {
            // Given
            SkuId one = gated(10, 1);
            SkuId other = gated(10, 1);

            // When
            List<Adjustment> all = List.of(give(one, "r", 1), give(other, "r", 2), give(one, "R", 4));

            // Then
            assertEquals(
                    List.of(false, false, false),
                    all.stream().map(Adjustment::repeated).toList());
            assertEquals(15, available(one, 1));
            assertEquals(12, available(other, 1));
        }
    }

    @Nested
    class WhenUnitsAreTaken {

        @Test
        void leavesTheLedgerAloneUntilTheyAreOutOfTheGate() {
            // Given
            SkuId sku = gated(10, 1, 2);

            // When
            Adjustment begun = beginTaking(sku, "r-1", -7);
            Part part = start(sku, "r-1", 1, 5);

            // Then
            assertEquals(new Adjustment(sku, "r-1", -7, State.OPEN, false, List.of()), begun);
            assertEquals(new Part("adjust/r-1/1", 1, 5, 0, TransferState.STARTED), part);
            assertEquals(part, start(sku, "r-1", 1, 3));
            assertEquals(10, await(skus.find(sku)).orElseThrow().available());
            assertEquals(5, await(skus.underway(sku)).moving());
            assertEquals(Map.of(), transfers(sku, 1));
        }

        @Test
        void takesAllPartsTogether() {
            // Given
            SkuId sku = gated(10, 1, 2);
            beginTaking(sku, "r-1", -7);
            Part one = start(sku, "r-1", 1, 7);
            Part other = start(sku, "r-1", 2, 2);

            // When
            Adjustment taken = take(sku, "r-1", withUnits(other, 2), withUnits(one, 5));

            // Then
            assertEquals(State.DONE, taken.state());
            assertEquals(
                    List.of(
                            new Part("adjust/r-1/1", 1, 5, 0, TransferState.DONE),
                            new Part("adjust/r-1/2", 2, 2, 0, TransferState.DONE)),
                    taken.parts());
            assertEquals(0, bucket(sku, 1).allotted());
            assertEquals(3, bucket(sku, 2).allotted());
            assertEquals(taken, take(sku, "r-1", one, other));
            assertEquals(List.of("TAKEN 1 r-1: recall 5 0", "TAKEN 2 r-1: recall 5 3"), skuJournal(sku));
        }

        @Test
        void putsEverythingBackIfThereWasNotEnough() {
            // Given
            SkuId sku = gated(10, 1, 2);
            beginTaking(sku, "r-1", -17);
            Part one = start(sku, "r-1", 1, 17);
            Part other = start(sku, "r-1", 2, 12);

            // When
            Adjustment decided = take(sku, "r-1", withUnits(one, 5), withUnits(other, 0));

            // Then
            assertEquals(State.OPEN, decided.state());
            assertEquals(
                    List.of(
                            new Part("adjust/r-1/1", 1, 5, 0, TransferState.BACK),
                            new Part("adjust/r-1/2", 2, 0, 0, TransferState.DONE)),
                    decided.parts());
            assertEquals(Map.of("adjust/r-1/1/back", 5L), transfers(sku, 1));
            assertEquals(5, await(skus.underway(sku)).moving());
            assertEquals(10, await(skus.find(sku)).orElseThrow().total());
            Adjustment refused = partsDone(sku, "r-1", decided);
            assertEquals(State.REFUSED, refused.state());
            assertEquals(refused, beginTakingAgain(sku));
            assertEquals(Map.of(), transfers(sku, 1));
        }

        private Adjustment beginTakingAgain(SkuId sku) {
            return beginTaking(sku, "r-1", -17);
        }

        @Test
        void isRefusedAtOnceIfNothingWasWithdrawn() {
            // Given
            SkuId sku = gated(0, 1);
            beginTaking(sku, "r-1", -1);
            Part part = start(sku, "r-1", 1, 1);

            // When
            Adjustment decided = take(sku, "r-1", withUnits(part, 0));

            // Then
            assertEquals(State.REFUSED, decided.state());
            assertEquals(List.of("REFUSED r-1: recall"), skuJournal(sku));
        }

        @Test
        void isRefusedWithoutParts() {
            // Given
            SkuId sku = gated(0, 1);
            beginTaking(sku, "r-1", -1);

            // When
            Adjustment decided = take(sku, "r-1");

            // Then
            assertEquals(State.REFUSED, decided.state());
        }

        @Test
        void putsEverythingBackIfTheLedgerHasFewerThanTheGateGave() {
            // Given
            SkuId sku = gated(10, 1);
            beginTaking(sku, "r-1", -7);
            Part part = start(sku, "r-1", 1, 7);
            settle(accepted(sku, 1, "order-1", 4));

            // When
            Adjustment decided = take(sku, "r-1", withUnits(part, 7));

            // Then
            assertEquals(TransferState.BACK, decided.parts().get(0).state());
            assertEquals(6, available(sku, 1));
            assertEquals(10, bucket(sku, 1).allotted());
        }

        @Test
        void putsOnlyTheSurplusBackIfMoreWasWithdrawnThanNeeded() {
            // Given
            SkuId sku = gated(10, 1, 2);
            beginTaking(sku, "r-1", -6);
            Part one = start(sku, "r-1", 1, 6);
            Part other = start(sku, "r-1", 2, 6);

            // When
            Adjustment decided = take(sku, "r-1", withUnits(one, 5), withUnits(other, 5));

            // Then
            assertEquals(State.OPEN, decided.state());
            assertEquals(
                    List.of(
                            new Part("adjust/r-1/1", 1, 5, 0, TransferState.DONE),
                            new Part("adjust/r-1/2", 2, 4, 0, TransferState.BACK)),
                    decided.parts());
            assertEquals(4, await(skus.find(sku)).orElseThrow().total());
            assertEquals(Map.of("adjust/r-1/2/back", 4L), transfers(sku, 2));
            assertEquals(State.DONE, partsDone(sku, "r-1", decided).state());
        }

        @Test
        void startsAPartAgainWhoseWithdrawalALoadHasUndone() {
            // Given
            SkuId sku = gated(10, 1, 2);
            beginTaking(sku, "r-1", -7);
            Part one = start(sku, "r-1", 1, 5);
            Part other = start(sku, "r-1", 2, 2);
            await(skus.raiseEpoch(sku, 2));

            // When
            Adjustment again = take(sku, "r-1", one, other);

            // Then
            assertEquals(State.OPEN, again.state());
            assertEquals(List.of(one, new Part("adjust/r-1/2", 2, 2, 1, TransferState.STARTED)), again.parts());
            assertEquals(10, await(skus.find(sku)).orElseThrow().total());
            assertEquals(
                    State.DONE,
                    take(sku, "r-1", again.parts().toArray(Part[]::new)).state());
        }

        @Test
        void waitsForAPartThatAnotherInstanceStarted() {
            // Given
            SkuId sku = gated(10, 1, 2);
            beginTaking(sku, "r-1", -5);
            Part one = start(sku, "r-1", 1, 5);
            Part others = start(sku, "r-1", 2, 5);

            // When
            Adjustment waiting = take(sku, "r-1", one);

            // Then
            assertEquals(State.OPEN, waiting.state());
            assertEquals(List.of(one, others), waiting.parts());
            assertEquals(10, await(skus.find(sku)).orElseThrow().total());
        }

        @Test
        void startsNoPartOnceItIsDecided() {
            // Given
            SkuId sku = gated(10, 1, 2);
            beginTaking(sku, "back", -7);
            take(sku, "back", withUnits(start(sku, "back", 1, 7), 5));
            beginTaking(sku, "done", -1);
            take(sku, "done", start(sku, "done", 1, 1));

            // When
            List<Part> late = List.of(start(sku, "back", 2, 2), start(sku, "done", 2, 1), start(sku, "back", 1, 7));

            // Then
            assertEquals(
                    List.of(
                            new Part("adjust/back/2", 2, 0, 0, TransferState.DONE),
                            new Part("adjust/done/2", 2, 0, 0, TransferState.DONE),
                            new Part("adjust/back/1", 1, 5, 0, TransferState.BACK)),
                    late);
            assertEquals(5, await(skus.underway(sku)).moving());
        }

        @Test
        void neverCallsAStartedPartDone() {
            // Given
            SkuId sku = gated(10, 1);
            beginTaking(sku, "r-1", -5);
            start(sku, "r-1", 1, 5);

            // When
            Adjustment after = await(adjustments.partsDone(sku, key("r-1"), List.of("adjust/r-1/1")));

            // Then
            assertEquals(TransferState.STARTED, after.parts().get(0).state());
            assertEquals(State.OPEN, after.state());
        }

        @Test
        void isToBePutBackInTheEpochTheBucketHasNow() {
            // Given
            SkuId sku = gated(10, 1);
            beginTaking(sku, "r-1", -17);
            take(sku, "r-1", withUnits(start(sku, "r-1", 1, 17), 10));
            await(skus.raiseEpoch(sku, 1));

            // When
            Adjustment again = beginTaking(sku, "r-1", -17);

            // Then
            assertEquals(List.of(new Part("adjust/r-1/1", 1, 10, 1, TransferState.BACK)), again.parts());
            assertEquals(Map.of("adjust/r-1/1/back", 10L), transfers(sku, 1));
        }

        @Test
        void refusesStepsOfAnAdjustmentThatWasNeverBegunAndPartsThatWereNeverStarted() {
            // Given
            SkuId sku = gated(10, 1);
            beginTaking(sku, "r-1", -5);
            Part invented = new Part("adjust/r-1/1", 1, 5, 0, TransferState.STARTED);

            // When
            List<Uni<?>> steps = List.of(
                    adjustments.take(sku, key("r-1"), List.of(invented)),
                    adjustments.take(sku, key("r-2"), List.of()),
                    adjustments.startPart(sku, key("r-2"), 1, 5, 0),
                    adjustments.partsDone(sku, key("r-2"), List.of()));

            // Then
            steps.forEach(step -> assertThrows(IllegalArgumentException.class, () -> await(step)));
        }

        @Test
        void takesOnceWhenManyAskAtOnce() {
            // Given
            SkuId sku = gated(10, 1, 2);
            beginTaking(sku, "r-1", -7);
            Part one = start(sku, "r-1", 1, 5);
            Part other = start(sku, "r-1", 2, 2);

            // When
            List<Uni<Adjustment>> tries = new ArrayList<>();
            IntStream.range(0, 20).forEach(i -> tries.add(adjustments.take(sku, key("r-1"), List.of(one, other))));
            List<Adjustment> all = together(tries);

            // Then
            assertEquals(1, all.stream().distinct().count());
            assertEquals(3, await(skus.find(sku)).orElseThrow().total());
        }
    }

    @Nested
    class WhenUnitsAreTakenWithoutGate {

        @Test
        void takesThemAtOnce() {
            // Given
            SkuId sku = ungated(10);

            // When
            Adjustment taken = await(adjustments.takeUngated(sku, key("r-1"), -10, null));

            // Then
            assertEquals(State.DONE, taken.state());
            assertEquals(new LedgerBucket(0, BucketState.ACTIVE, 0, 0, 0), bucket(sku, 0));
        }

        @Test
        void refusesMoreThanIsLeftForGood() {
            // Given
            SkuId sku = ungated(10);
            await(flows.deductConditional(sku, key("order-1"), qty(4), null));
            await(adjustments.takeUngated(sku, key("r-1"), -7, null));
            give(sku, "r-2", 100);

            // When
            Adjustment again = await(adjustments.takeUngated(sku, key("r-1"), -7, null));

            // Then
            assertEquals(new Adjustment(sku, "r-1", -7, State.REFUSED, true, List.of()), again);
            assertEquals(106, available(sku, 0));
        }

        @Test
        void neverTakesWhatIsSoldMeanwhile() {
            // Given
            SkuId sku = ungated(50);

            // When
            List<Uni<Object>> all = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                all.add(flows.deductConditional(sku, key("order-" + i), qty(1), null)
                        .map(one -> one));
                all.add(adjustments.takeUngated(sku, key("r-" + i), -1, null).map(one -> one));
            }
            together(all);

            // Then
            assertEquals(0, available(sku, 0));
        }
    }
}
