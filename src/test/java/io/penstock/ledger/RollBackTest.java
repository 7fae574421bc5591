package io.penstock.ledger;

import static io.penstock.ledger.RolledBack.Verdict.CANCELLED;
import static io.penstock.ledger.RolledBack.Verdict.FINISHED_BEFORE;
import static io.penstock.ledger.RolledBack.Verdict.ROLLED_BACK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.penstock.stock.Credit;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class RollBackTest extends LedgerTest {

    private static List<RolledBack.Verdict> verdicts(RolledBackBatch batch) {
        return batch.rollbacks().stream().map(RolledBack::verdict).toList();
    }

    @Nested
    class WhenTheDeductionIsSold {

        @Test
        void givesItsUnitsBackToItsBucketAndOwesThemToTheGate() {
            // Given
            SkuId sku = gated(100, 1, 2);
            settle(accepted(sku, 2, "order-1", 7));

            // When
            RolledBackBatch batch = rollBack(order(sku, "order-1"));

            // Then
            assertEquals(List.of(ROLLED_BACK), verdicts(batch));
            Flow flow = batch.rollbacks().get(0).flow();
            assertEquals(flow(sku, "order-1"), flow);
            assertEquals(FlowStatus.ROLLED_BACK, flow.status());
            assertEquals(Credit.OWED, flow.credit());
            assertEquals(50, available(sku, 2));
            assertEquals(new SkuLedger.Underway(7, 0), await(skus.underway(sku)));
        }

        @Test
        void saysWhoAndWhyInTheJournalAndOwesTheOutcome() {
            // Given
            SkuId sku = gated(100, 1);
            settle(accepted(sku, 1, "order-1", 7));

            // When
            RolledBackBatch batch = rollBack(new RollbackOrder(sku, key("order-1"), "topic", "用户取消"));

            // Then
            assertEquals(List.of("DEDUCTED settlement 0 7", "ROLLED_BACK topic 用户取消 7 0"), journal(sku, "order-1"));
            assertEquals(List.of("order-1 1 7 ROLLED_BACK"), owedEvents(batch.outcomesId()));
        }

        @Test
        void cutsAReasonThatIsTooLongRatherThanFail() {
            // Given
            SkuId sku = gated(100, 1);

            // When
            RolledBackBatch batch = rollBack(new RollbackOrder(sku, key("order-1"), "b".repeat(99), "😀".repeat(400)));

            // Then
            assertEquals(List.of(CANCELLED), verdicts(batch));
            assertEquals(
                    List.of("CANCELLED " + "b".repeat(64) + " " + "😀".repeat(255) + " 0 0"), journal(sku, "order-1"));
        }

        @Test
        void owesNothingForASkuWithoutGate() {
            // Given
            SkuId sku = ungated(10);
            await(flows.deductConditional(sku, key("order-1"), qty(4), null));

            // When
            RolledBackBatch batch = await(flows.rollBack(List.of(order(sku, "order-1"), order(sku, "x")), false));

            // Then
            assertEquals(List.of(ROLLED_BACK, CANCELLED), verdicts(batch));
            assertEquals(Credit.NONE, flow(sku, "order-1").credit());
            assertEquals(Credit.NONE, flow(sku, "x").credit());
            assertEquals(10, available(sku, 0));
        }
    }

    @Nested
    class WhenTheRollbackComesFirst {

        @Test
        void leavesACancelledFlowThatRefusesTheLateDeduction() {
            // Given
            SkuId sku = gated(100, 1);

            // When
            RolledBackBatch batch = rollBack(order(sku, "order-1"));

            // Then
            assertEquals(List.of(CANCELLED), verdicts(batch));
            Flow flow = batch.rollbacks().get(0).flow();
            assertNull(flow.bucketNo());
            assertNull(flow.qty());
            assertEquals(Credit.OWED, flow.credit());
            assertEquals(Settled.Verdict.FINISHED, settleOne(sku, 1, "order-1", 3));
            assertEquals(100, available(sku, 1));
            assertEquals(List.of("order-1 null null CANCELLED"), owedEvents(batch.outcomesId()));
        }
    }

    @Nested
    class WhenItIsRepeated {

        @Test
        void writesNothingAndShowsTheOpenCredit() {
            // Given
            SkuId sku = gated(100, 1);
            settle(accepted(sku, 1, "sold", 7));
            rollBack(order(sku, "sold"), order(sku, "unknown"));

            // When
            RolledBackBatch again = rollBack(order(sku, "unknown"), order(sku, "sold"));

            // Then
            assertEquals(List.of(FINISHED_BEFORE, FINISHED_BEFORE), verdicts(again));
            assertEquals(0, again.outcomesId());
            assertEquals(
                    List.of(Credit.OWED, Credit.OWED),
                    again.rollbacks().stream().map(one -> one.flow().credit()).toList());
            assertEquals(100, available(sku, 1));
        }

        @Test
        void leavesARejectedOneAsItIs() {
            // Given
            SkuId sku = gated(1, 1);
            settle(accepted(sku, 1, "too-many", 7));

            // When
            RolledBackBatch batch = rollBack(order(sku, "too-many"));

            // Then
            assertEquals(List.of(FINISHED_BEFORE), verdicts(batch));
            assertEquals(FlowStatus.REJECTED, batch.rollbacks().get(0).flow().status());
            assertEquals(1, available(sku, 1));
        }

        @Test
        void givesBackOnceIfAKeyComesTwiceInABatch() {
            // Given
            SkuId sku = gated(100, 1);
            settle(accepted(sku, 1, "sold", 7));
            RollbackOrder order = order(sku, "sold");

            // When
            RolledBackBatch batch = rollBack(order, order(sku, "new"), order, order(sku, "new"));

            // Then
            assertEquals(List.of(ROLLED_BACK, CANCELLED, FINISHED_BEFORE, FINISHED_BEFORE), verdicts(batch));
            assertEquals(100, available(sku, 1));
        }

        @Test
        void rollsNothingBackForNoOrders() {
            // When
            RolledBackBatch batch = rollBack();

            // Then
            assertEquals(new RolledBackBatch(List.of(), 0), batch);
        }
    }

    @Nested
    class WhenTheGateHasTheCredit {

        @Test
        void owesItNoLonger() {
            // Given
            SkuId sku = gated(100, 1);
            settle(accepted(sku, 1, "sold", 7));
            rollBack(order(sku, "sold"), order(sku, "unknown"));

            // When
            await(flows.creditsDone(List.of(
                    new CreditDone(sku, key("unknown"), null, null), new CreditDone(sku, key("sold"), null, null))));

            // Then
            assertEquals(Credit.DONE, flow(sku, "sold").credit());
            assertEquals(Credit.DONE, flow(sku, "unknown").credit());
            assertNull(flow(sku, "unknown").bucketNo());
            assertEquals(new SkuLedger.Underway(0, 0), await(skus.underway(sku)));
            assertEquals("CREDIT_DONE gate OWED DONE", journal(sku, "sold").get(2));
        }

        @Test
        void remembersWhereTheGateFoundUnitsOfACancellation() {
            // Given
            SkuId sku = gated(100, 1, 2);
            rollBack(order(sku, "early"));

            // When
            await(flows.creditsDone(
                    List.of(new CreditDone(sku, key("early"), null, null), new CreditDone(sku, key("early"), 2, 5))));

            // Then
            assertEquals(2, flow(sku, "early").bucketNo());
            assertEquals(5, flow(sku, "early").qty());
            assertEquals(50, available(sku, 2));
        }

        @Test
        void changesNothingWhenItIsSaidAgainOrOfAKeyThatOwesNothing() {
            // Given
            SkuId sku = gated(100, 1);
            settle(accepted(sku, 1, "sold", 7), accepted(sku, 1, "back", 3));
            rollBack(order(sku, "back"), order(sku, "early"));
            CreditDone early = new CreditDone(sku, key("early"), 1, 5);
            await(flows.creditsDone(List.of(early, new CreditDone(sku, key("back"), null, null))));
            List<Flow> before = List.of(flow(sku, "sold"), flow(sku, "back"), flow(sku, "early"));

            // When
            await(flows.creditsDone(List.of(
                    new CreditDone(sku, key("early"), null, null),
                    new CreditDone(sku, key("back"), 1, 9),
                    new CreditDone(sku, key("sold"), 1, 9),
                    new CreditDone(sku, key("nobody"), 1, 9))));

            // Then
            assertEquals(before, List.of(flow(sku, "sold"), flow(sku, "back"), flow(sku, "early")));
        }

        @Test
        void takesNoCredits() {
            // When
            Void done = await(flows.creditsDone(List.of()));

            // Then
            assertNull(done);
        }
    }

    @Nested
    class WhenManyComeAtOnce {

        @Test
        void cancelsTwoHundredUnknownNeighboursWithoutADeadlockForAnyone() {
            // Given
            SkuId sku = gated(100, 1);

            // When
            together(IntStream.range(0, 200)
                    .mapToObj(i -> flows.rollBack(List.of(order(sku, "order-%03d".formatted(i))), true))
                    .toList());

            // Then
            assertEquals(200, count(sku, FlowStatus.CANCELLED));
        }

        @Test
        void givesEachDeductionBackOnce() {
            // Given
            SkuId sku = gated(1_000, 1, 2);
            await(flows.settle(IntStream.range(0, 100)
                    .mapToObj(i -> accepted(sku, 1 + i % 2, "order-" + i, 3))
                    .toList()));
            List<RollbackOrder> orders = new ArrayList<>(IntStream.range(0, 100)
                    .mapToObj(i -> order(sku, "order-" + i))
                    .toList());

            // When
            List<Uni<RolledBackBatch>> tries = new ArrayList<>();
            IntStream.range(0, 20).forEach(i -> tries.add(flows.rollBack(orders, true)));
            together(tries);

            // Then
            assertEquals(100, count(sku, FlowStatus.ROLLED_BACK));
            assertEquals(500, available(sku, 1));
            assertEquals(500, available(sku, 2));
        }

        @Test
        void endsEachKeyOnceWhenDeductionsAndRollbacksOverlap() {
            // Given
            SkuId sku = gated(400, 1, 2, 3);

            // When
            List<Uni<Object>> all = new ArrayList<>();
            for (int round = 0; round < 20; round++) {
                int from = round * 10;
                all.add(flows.settle(IntStream.range(from, from + 40)
                                .mapToObj(i -> accepted(sku, 1 + i % 3, "order-" + i, 4))
                                .toList())
                        .map(Function.identity()));
                all.add(flows.rollBack(
                                IntStream.range(from + 20, from + 60)
                                        .mapToObj(i -> order(sku, "order-" + (i % 230)))
                                        .toList(),
                                true)
                        .map(Function.identity()));
                all.add(flows.creditsDone(IntStream.range(from, from + 30)
                                .mapToObj(i -> new CreditDone(sku, key("order-" + i), null, null))
                                .toList())
                        .map(Function.identity()));
            }
            together(all);

            // Then
            invariants.hold();
            assertEquals(
                    tables.number("SELECT COUNT(*) FROM stock_deduct_flow WHERE sku_id = ?", sku.value()),
                    tables.number("""
                            SELECT COUNT(DISTINCT deduct_key) FROM stock_journal
                             WHERE sku_id = ? AND changed IN ('DEDUCTED', 'REJECTED', 'CANCELLED')
                            """, sku.value()));
        }
    }
}
