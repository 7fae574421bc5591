package io.penstock.ledger;

import static io.penstock.ledger.Settled.Verdict.DEDUCTED;
import static io.penstock.ledger.Settled.Verdict.FINISHED;
import static io.penstock.ledger.Settled.Verdict.NO_SUCH_BUCKET;
import static io.penstock.ledger.Settled.Verdict.OTHER_QTY;
import static io.penstock.ledger.Settled.Verdict.REDELIVERED;
import static io.penstock.ledger.Settled.Verdict.REJECTED;
import static io.penstock.ledger.Settled.Verdict.SOLD_ELSEWHERE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.Credit;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SettleTest extends LedgerTest {

    @Nested
    class WhenEverythingIsNew {

        @Test
        void sellsTheUnitsOfEachBucketAndAnswersInTheOrderGiven() {
            // Given
            SkuId sku = gated(100, 1, 2);

            // When
            SettledBatch settled = settle(accepted(sku, 2, "z", 3), accepted(sku, 1, "a", 5), accepted(sku, 2, "m", 7));

            // Then
            assertEquals(List.of(DEDUCTED, DEDUCTED, DEDUCTED), verdicts(settled));
            assertEquals(
                    List.of("z", "a", "m"),
                    settled.deductions().stream()
                            .map(one -> one.flow().deductKey().value())
                            .toList());
            assertEquals(45, available(sku, 1));
            assertEquals(40, available(sku, 2));
        }

        @Test
        void answersTheFlowsAsTheyAreRead() {
            // Given
            SkuId sku = gated(100, 0);

            // When
            Flow settled =
                    settle(accepted(sku, 0, "order-1", 2)).deductions().get(0).flow();

            // Then
            assertEquals(flow(sku, "order-1"), settled);
            assertEquals(FlowStatus.DEDUCTED, settled.status());
            assertEquals(Credit.NONE, settled.credit());
        }

        @Test
        void writesTheJournalAndTheOutcomesWithIt() {
            // Given
            SkuId sku = gated(100, 0);

            // When
            SettledBatch settled = settle(accepted(sku, 0, "order-1", 2), accepted(sku, 0, "order-2", 4));

            // Then
            assertEquals(List.of("DEDUCTED settlement 0 2"), journal(sku, "order-1"));
            assertEquals(List.of("order-1 0 2 DEDUCTED", "order-2 0 4 DEDUCTED"), owedEvents(settled.outcomesId()));
        }

        @Test
        void recordsATraceOfAnyScriptAndCutsOneThatIsTooLong() {
            // Given
            SkuId sku = gated(100, 0);
            String trace = "订单😀".repeat(60);

            // When
            await(flows.settle(List.of(new AcceptedDeduction(sku, 0, key("order-1"), qty(1), trace))));

            // Then
            assertEquals(
                    List.of("订单😀".repeat(42) + "订单"),
                    tables.column("SELECT trace_id FROM stock_deduct_flow WHERE sku_id = ?", sku.value()));
        }

        @Test
        void takesTheLastUnit() {
            // Given
            SkuId sku = gated(5, 0);

            // When
            SettledBatch settled = settle(accepted(sku, 0, "a", 2), accepted(sku, 0, "b", 3));

            // Then
            assertEquals(List.of(DEDUCTED, DEDUCTED), verdicts(settled));
            assertEquals(0, available(sku, 0));
        }

        @Test
        void settlesNothingFromAnEmptyBatch() {
            // When
            SettledBatch settled = settle();

            // Then
            assertEquals(new SettledBatch(List.of(), 0), settled);
        }

        @Test
        void settlesABatchOfThousands() {
            // Given
            SkuId sku = gated(10_000, 1, 2, 3);

            // When
            SettledBatch settled = await(flows.settle(IntStream.range(0, 5_000)
                    .mapToObj(i -> accepted(sku, 1 + i % 3, "order-" + i, 1))
                    .toList()));

            // Then
            assertEquals(
                    5_000, verdicts(settled).stream().filter(DEDUCTED::equals).count());
            assertEquals(5_000, await(skus.find(sku)).orElseThrow().available());
        }
    }

    @Nested
    class WhenAKeyIsKnown {

        @Test
        void tellsARedeliveryFromAnotherQtyAndFromAnotherBucket() {
            // Given
            SkuId sku = gated(100, 1, 2);
            settle(accepted(sku, 1, "known", 2));

            // When
            SettledBatch settled =
                    settle(accepted(sku, 1, "known", 2), accepted(sku, 1, "known", 3), accepted(sku, 2, "known", 2));

            // Then
            assertEquals(List.of(REDELIVERED, OTHER_QTY, SOLD_ELSEWHERE), verdicts(settled));
            assertEquals(0, settled.outcomesId());
            assertEquals(48, available(sku, 1));
            assertEquals(50, available(sku, 2));
        }

        @Test
        void sellsTheNewOnesOfTheSameBatchAndOwesOnlyTheirOutcomes() {
            // Given
            SkuId sku = gated(100, 1);
            settle(accepted(sku, 1, "known", 2));

            // When
            SettledBatch settled = settle(accepted(sku, 1, "known", 2), accepted(sku, 1, "new", 3));

            // Then
            assertEquals(List.of(REDELIVERED, DEDUCTED), verdicts(settled));
            assertEquals(List.of("new 1 3 DEDUCTED"), owedEvents(settled.outcomesId()));
            assertEquals(95, available(sku, 1));
        }

        @Test
        void refusesWhatIsFinishedWhicheverWay() {
            // Given
            SkuId sku = gated(2, 1);
            settle(accepted(sku, 1, "back", 2));
            rollBack(order(sku, "back"), order(sku, "never"));
            settle(accepted(sku, 1, "too-many", 3));

            // When
            SettledBatch settled =
                    settle(accepted(sku, 1, "back", 2), accepted(sku, 1, "never", 2), accepted(sku, 1, "too-many", 3));

            // Then
            assertEquals(List.of(FINISHED, FINISHED, FINISHED), verdicts(settled));
            assertEquals(
                    List.of(FlowStatus.ROLLED_BACK, FlowStatus.CANCELLED, FlowStatus.REJECTED),
                    settled.deductions().stream()
                            .map(one -> one.flow().status())
                            .toList());
            assertEquals(2, available(sku, 1));
        }

        @Test
        void letsTheFirstOfABatchDecide() {
            // Given
            SkuId sku = gated(100, 1, 2);
            AcceptedDeduction twice = accepted(sku, 1, "a", 2);

            // When
            SettledBatch settled = settle(twice, twice, accepted(sku, 1, "a", 3), accepted(sku, 2, "a", 2));

            // Then
            assertEquals(List.of(DEDUCTED, REDELIVERED, OTHER_QTY, SOLD_ELSEWHERE), verdicts(settled));
            assertEquals(48, available(sku, 1));
            assertEquals(50, available(sku, 2));
        }

        @Test
        void letsTheFirstOfABatchDecideOnTheSlowPathToo() {
            // Given
            SkuId sku = gated(3, 1);
            AcceptedDeduction twice = accepted(sku, 1, "a", 2);
            AcceptedDeduction tooMany = accepted(sku, 1, "b", 2);

            // When
            SettledBatch settled = settle(twice, twice, tooMany, tooMany);

            // Then
            assertEquals(List.of(DEDUCTED, REDELIVERED, REJECTED, FINISHED), verdicts(settled));
            assertEquals(1, available(sku, 1));
        }
    }

    @Nested
    class WhenABucketHasTooFew {

        @Test
        void rejectsInTheOrderOfTheBatchAndSellsWhatStillFits() {
            // Given
            SkuId sku = gated(5, 1);

            // When
            SettledBatch settled = settle(accepted(sku, 1, "z", 3), accepted(sku, 1, "m", 4), accepted(sku, 1, "a", 2));

            // Then
            assertEquals(List.of(DEDUCTED, REJECTED, DEDUCTED), verdicts(settled));
            assertEquals(0, available(sku, 1));
            assertEquals(
                    List.of("a 1 2 DEDUCTED", "m 1 4 REJECTED", "z 1 3 DEDUCTED"), owedEvents(settled.outcomesId()));
        }

        @Test
        void owesTheGateTheRejectedUnits() {
            // Given
            SkuId sku = gated(1, 1);

            // When
            Flow rejected = settle(accepted(sku, 1, "m", 4)).deductions().get(0).flow();

            // Then
            assertEquals(Credit.OWED, rejected.credit());
            assertEquals(flow(sku, "m"), rejected);
            assertEquals(new SkuLedger.Underway(4, 0), await(skus.underway(sku)));
            assertEquals(
                    List.of("REJECTED settlement fewer units left than the gate gave away 0 0"), journal(sku, "m"));
        }

        @Test
        void doesNotLetOneBucketsLackTouchAnother() {
            // Given
            SkuId sku = gated(10, 1, 2);

            // When
            SettledBatch settled = settle(accepted(sku, 1, "a", 6), accepted(sku, 2, "b", 5));

            // Then
            assertEquals(List.of(REJECTED, DEDUCTED), verdicts(settled));
            assertEquals(5, available(sku, 1));
            assertEquals(0, available(sku, 2));
        }

        @Test
        void sellsExactlyTheStockWhenFiftyBatchesWantMore() {
            // Given
            SkuId sku = gated(60, 1, 2);

            // When
            together(IntStream.range(0, 50)
                    .mapToObj(i -> flows.settle(List.of(
                            accepted(sku, 1, "a-" + i, 1),
                            accepted(sku, 2, "b-" + i, 1),
                            accepted(sku, 1, "c-" + i, 1))))
                    .toList());

            // Then
            assertEquals(60, count(sku, FlowStatus.DEDUCTED));
            assertEquals(90, count(sku, FlowStatus.REJECTED));
            assertEquals(0, await(skus.find(sku)).orElseThrow().available());
        }
    }

    @Nested
    class WhenABucketIsUnknown {

        @Test
        void writesNothingForItAndSettlesTheOthers() {
            // Given
            SkuId sku = gated(10, 1);

            // When
            SettledBatch settled =
                    settle(accepted(sku, 9, "a", 1), accepted(sku, 1, "b", 1), accepted(newSku(), 1, "c", 1));

            // Then
            assertEquals(List.of(NO_SUCH_BUCKET, DEDUCTED, NO_SUCH_BUCKET), verdicts(settled));
            assertNull(settled.deductions().get(0).flow());
            assertTrue(await(flows.find(sku, key("a"))).isEmpty());
        }

        @Test
        void letsALaterMessageOfTheSameKeySettle() {
            // Given
            SkuId sku = gated(10, 1);

            // When
            SettledBatch settled = settle(accepted(sku, 9, "a", 1), accepted(sku, 1, "a", 2));

            // Then
            assertEquals(DEDUCTED, verdicts(settled).get(1));
            assertEquals(8, available(sku, 1));
        }

        @Test
        void owesNothingIfAllAreUnknown() {
            // When
            SettledBatch settled = settle(accepted(newSku(), 1, "a", 1));

            // Then
            assertEquals(List.of(NO_SUCH_BUCKET), verdicts(settled));
            assertEquals(0, settled.outcomesId());
        }
    }

    @Nested
    class WhenKeysLookAlike {

        @Test
        void keepsKeysThatDifferInCaseApart() {
            // Given
            SkuId sku = gated(10, 1);

            // When
            SettledBatch settled =
                    settle(accepted(sku, 1, "order", 1), accepted(sku, 1, "ORDER", 2), accepted(sku, 1, "Order", 3));

            // Then
            assertEquals(List.of(DEDUCTED, DEDUCTED, DEDUCTED), verdicts(settled));
            assertEquals(2, flow(sku, "ORDER").qty());
            assertEquals(4, available(sku, 1));
        }

        @Test
        void keepsOneOrderOfTwoSkusApart() {
            // Given
            SkuId one = gated(10, 1);
            SkuId other = gated(10, 1);

            // When
            SettledBatch settled = settle(accepted(other, 1, "order", 1), accepted(one, 1, "order", 2));

            // Then
            assertEquals(List.of(DEDUCTED, DEDUCTED), verdicts(settled));
            assertEquals(9, available(other, 1));
            assertEquals(8, available(one, 1));
        }

        @Test
        void comparesKeysByteByByteInTheTableItself() {
            // When
            long otherwise = tables.number("""
                    SELECT COUNT(*) FROM information_schema.columns
                     WHERE table_schema = DATABASE() AND column_name = 'deduct_key' AND data_type <> 'varbinary'
                    """);

            // Then
            assertEquals(0, otherwise);
        }
    }

    @Nested
    class WhenTheSameBatchIsSettledByManyAtOnce {

        @Test
        void writesEachFlowOnce() {
            // Given
            SkuId sku = gated(1_000, 1, 2, 3);
            List<AcceptedDeduction> batch = IntStream.range(0, 60)
                    .mapToObj(i -> accepted(sku, 1 + i % 3, "order-" + i, 2))
                    .toList();

            // When
            List<Uni<SettledBatch>> tries = new ArrayList<>();
            IntStream.range(0, 20).forEach(i -> tries.add(flows.settle(batch)));
            together(tries);

            // Then
            assertEquals(60, count(sku, FlowStatus.DEDUCTED));
            assertEquals(880, await(skus.find(sku)).orElseThrow().available());
        }
    }
}
