package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.ledger.SkuLedger.Defined;
import io.penstock.stock.BucketState;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Ordering;
import io.penstock.stock.Quantity;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SkuLedgerTest extends LedgerTest {

    private static SkuDefinition definition(SkuId skuId, long total, Integer... buckets) {
        return new SkuDefinition(skuId, new SkuCode("SKU_A"), total, List.of(buckets), Strategy.REDIS, Ordering.SPLIT);
    }

    @Nested
    class WhenASkuIsDefined {

        @Test
        void splitsItsUnitsEvenlyAndGivesTheRemainderToTheFirstBuckets() {
            // Given
            SkuId sku = newSku();

            // When
            Defined defined = await(skus.define(definition(sku, 11, 3, 7, 9)));

            // Then
            assertEquals(Defined.CREATED, defined);
            assertEquals(
                    new LedgerSku(
                            sku,
                            new SkuCode("SKU_A"),
                            Strategy.REDIS,
                            Ordering.SPLIT,
                            SaleState.OPEN,
                            List.of(
                                    new LedgerBucket(3, BucketState.ACTIVE, 4, 4, 0),
                                    new LedgerBucket(7, BucketState.ACTIVE, 4, 4, 0),
                                    new LedgerBucket(9, BucketState.ACTIVE, 3, 3, 0))),
                    await(skus.find(sku)).orElseThrow());
        }

        @Test
        void acceptsAStockOfNothing() {
            // Given
            SkuId sku = newSku();

            // When
            await(skus.define(definition(sku, 0, 0)));

            // Then
            assertEquals(0, await(skus.find(sku)).orElseThrow().total());
        }

        @Test
        void takesTheSameDefinitionAgainEvenAfterUnitsWereSold() {
            // Given
            SkuId sku = gated(10, 1, 2);
            settle(accepted(sku, 1, "a", 2));

            // When
            Defined again = await(skus.define(definition(sku, 10, 1, 2)));

            // Then
            assertEquals(Defined.SAME, again);
            assertEquals(3, available(sku, 1));
        }

        @Test
        void refusesAnyOtherField() {
            // Given
            SkuId sku = gated(10, 1, 2);
            SkuDefinition given = definition(sku, 10, 1, 2);

            // When
            List<Defined> others = List.of(
                    await(skus.define(definition(sku, 11, 1, 2))),
                    await(skus.define(definition(sku, 10, 1, 3))),
                    await(skus.define(definition(sku, 10, 1))),
                    await(skus.define(new SkuDefinition(
                            sku, new SkuCode("sku_a"), 10, given.bucketNos(), given.strategy(), given.ordering()))),
                    await(skus.define(new SkuDefinition(
                            sku, given.skuCode(), 10, given.bucketNos(), Strategy.DB_CONDITIONAL, given.ordering()))),
                    await(skus.define(new SkuDefinition(
                            sku, given.skuCode(), 10, given.bucketNos(), given.strategy(), Ordering.ORDERED))));

            // Then
            assertEquals(java.util.Collections.nCopies(6, Defined.CONFLICT), others);
        }

        @Test
        void createsItOnceWhenManyDefineItAtOnce() {
            // Given
            SkuId sku = newSku();

            // When
            List<Uni<Defined>> tries = new ArrayList<>();
            IntStream.range(0, 40).forEach(i -> tries.add(skus.define(definition(sku, i % 4 == 3 ? 99 : 10, 1, 2))));
            List<Defined> defined = together(tries);

            // Then
            assertEquals(1, defined.stream().filter(Defined.CREATED::equals).count());
            long total = await(skus.find(sku)).orElseThrow().total();
            assertEquals(
                    total == 10 ? 29 : 9,
                    defined.stream().filter(Defined.SAME::equals).count());
        }
    }

    @Nested
    class WhenSkusAreRead {

        @Test
        void findsNothingOfAnUnknownOne() {
            // When
            Optional<LedgerSku> found = await(skus.find(newSku()));

            // Then
            assertTrue(found.isEmpty());
        }

        @Test
        void listsThemAscendingInPages() {
            // Given
            List<SkuId> defined = List.of(gated(10, 1, 2), gated(20, 0), gated(30, 1));
            long before = defined.get(0).value() - 1;

            // When
            List<LedgerSku> page = await(skus.list(before, 2));

            // Then
            assertEquals(
                    defined.subList(0, 2), page.stream().map(LedgerSku::skuId).toList());
            assertEquals(
                    List.of(2, 1),
                    page.stream().map(sku -> sku.buckets().size()).toList());
        }
    }

    @Nested
    class WhenABucketIsLoaded {

        @Test
        void raisesItsEpochByOneEachTime() {
            // Given
            SkuId sku = gated(10, 1, 2);

            // When
            List<Long> raised = together(IntStream.range(0, 10)
                    .mapToObj(i -> skus.raiseEpoch(sku, 2))
                    .toList());

            // Then
            assertEquals(
                    List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L),
                    raised.stream().sorted().toList());
            assertEquals(0, bucket(sku, 1).epoch());
        }

        @Test
        void refusesABucketThatDoesNotExist() {
            // Given
            SkuId sku = gated(10, 1);

            // When
            Uni<Long> raised = skus.raiseEpoch(sku, 2);

            // Then
            assertThrows(UnknownSku.class, () -> await(raised));
        }

        @Test
        void readsItsUnitsAndWhetherItSells() {
            // Given
            SkuId sku = gated(10, 1, 2);
            settle(accepted(sku, 1, "a", 2));
            await(skus.raiseEpoch(sku, 1));
            tables.change("UPDATE sku SET sale = 'PAUSED' WHERE sku_id = ?", sku.value());
            tables.change("UPDATE sku_bucket SET state = 'OFFLINE' WHERE sku_id = ? AND bucket_no = 1", sku.value());

            // When
            Snapshot.Units units = await(skus.snapshot(sku, 1, Snapshot::units));

            // Then
            assertEquals(new Snapshot.Units(5, BucketState.OFFLINE, SaleState.PAUSED, 1, Map.of()), units);
        }

        @Test
        void readsWhatItSoldInPages() {
            // Given
            SkuId sku = gated(100, 1, 2);
            settle(
                    accepted(sku, 1, "b", 2),
                    accepted(sku, 1, "A", 1),
                    accepted(sku, 2, "other", 9),
                    accepted(sku, 1, "a", 3),
                    accepted(sku, 1, "gone", 3));
            rollBack(order(sku, "gone"));

            // When
            List<Map<DeductKey, Quantity>> pages = await(skus.snapshot(
                    sku,
                    1,
                    snapshot -> snapshot.sold(null, 2)
                            .flatMap(first -> snapshot.sold(key("a"), 2).map(second -> List.of(first, second)))));

            // Then
            assertEquals(List.of(Map.of(key("A"), qty(1), key("a"), qty(3)), Map.of(key("b"), qty(2))), pages);
            assertEquals(List.of(key("A"), key("a")), List.copyOf(pages.get(0).keySet()));
        }

        @Test
        void readsTheKeysItMustRefuse() {
            // Given
            SkuId sku = gated(6, 1, 2);
            settle(accepted(sku, 1, "m-back", 2), accepted(sku, 1, "rejected", 9), accepted(sku, 1, "sold", 1));
            settle(accepted(sku, 2, "elsewhere", 2));
            rollBack(order(sku, "m-back"), order(sku, "elsewhere"), order(sku, "early"), order(sku, "z-early"));
            await(flows.creditsDone(List.of(new CreditDone(sku, key("z-early"), 2, 1))));

            // When
            List<List<DeductKey>> pages = await(skus.snapshot(
                    sku,
                    1,
                    snapshot -> snapshot.finished(Duration.ofHours(1), null, 3)
                            .flatMap(first -> snapshot.finished(Duration.ofHours(1), first.get(2), 3)
                                    .map(second -> List.of(first, second)))));

            // Then
            assertEquals(
                    List.of(List.of(key("early"), key("m-back"), key("rejected")), List.of(key("z-early"))), pages);
        }

        @Test
        void forgetsOldKeysUnlessTheirCreditIsOpen() {
            // Given
            SkuId sku = gated(6, 1);
            settle(accepted(sku, 1, "paid", 2), accepted(sku, 1, "owed", 2));
            rollBack(order(sku, "paid"), order(sku, "owed"), order(sku, "early-paid"), order(sku, "early-owed"));
            await(flows.creditsDone(List.of(
                    new CreditDone(sku, key("paid"), null, null), new CreditDone(sku, key("early-paid"), null, null))));

            // When
            List<DeductKey> finished =
                    await(skus.snapshot(sku, 1, snapshot -> snapshot.finished(Duration.ofHours(-1), null, 10)));

            // Then
            assertEquals(List.of(key("early-owed"), key("owed")), finished);
        }

        @Test
        void seesOneInstantWhileFlowsAreWritten() {
            // Given
            SkuId sku = gated(1_000, 1);
            await(flows.settle(IntStream.range(0, 50)
                    .mapToObj(i -> accepted(sku, 1, "before-%02d".formatted(i), 2))
                    .toList()));

            // When
            long[] read = await(skus.snapshot(
                    sku,
                    1,
                    snapshot -> flows.settle(IntStream.range(0, 50)
                                    .mapToObj(i -> accepted(sku, 1, "after-%02d".formatted(i), 2))
                                    .toList())
                            .flatMap(written -> flows.rollBack(
                                    IntStream.range(0, 25)
                                            .mapToObj(i -> order(sku, "before-%02d".formatted(i)))
                                            .toList(),
                                    true))
                            .flatMap(written -> adjustments.give(sku, key("more"), 500, null))
                            .flatMap(given -> snapshot.units())
                            .flatMap(units -> snapshot.sold(null, 1_000)
                                    .flatMap(sold -> snapshot.finished(Duration.ofDays(3_650), null, 1_000)
                                            .map(finished -> new long[] {
                                                units.allotted(),
                                                units.transfers().size(),
                                                sold.size(),
                                                finished.size()
                                            })))));

            // Then
            assertEquals(List.of(1_000L, 0L, 50L, 0L), List.of(read[0], read[1], read[2], read[3]));
        }

        @Test
        void handsTheReadersOwnFailureThroughAndEndsTheSnapshot() {
            // Given
            SkuId sku = gated(10, 1);
            Uni<Object> read = skus.snapshot(
                    sku, 1, snapshot -> Uni.createFrom().failure(new ArithmeticException("the reader's")));

            // When
            List<Class<?>> failures = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                failures.add(assertThrows(ArithmeticException.class, () -> await(read))
                        .getClass());
            }

            // Then
            assertEquals(40, failures.size());
            assertEquals(10, available(sku, 1));
        }

        @Test
        void refusesToReadABucketThatDoesNotExist() {
            // Given
            SkuId sku = gated(10, 1);

            // When
            Uni<Snapshot.Units> read = skus.snapshot(sku, 2, Snapshot::units);

            // Then
            assertThrows(UnknownSku.class, () -> await(read));
        }

        @Test
        void writesAgainAtReadCommittedOnTheConnectionOfASnapshot() {
            // Given
            SkuId sku = gated(1_000, 1);

            // When
            List<Uni<Object>> mixed = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                mixed.add(skus.snapshot(sku, 1, Snapshot::units).map(Function.identity()));
                mixed.add(flows.settle(List.of(accepted(sku, 1, "order-" + i, 1), accepted(sku, 1, "same", 1)))
                        .map(Function.identity()));
            }
            together(mixed);

            // Then
            assertEquals(939, available(sku, 1));
        }
    }
}
