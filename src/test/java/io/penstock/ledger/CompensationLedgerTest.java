package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** 补偿 in the ledger: what is owed is written once, becomes due, and goes when it is given. */
@QuarkusTest
class CompensationLedgerTest extends LedgerTest {

    private static final Duration LONG = Duration.ofHours(1);

    @Inject
    CompensationLedger debts;

    private static RollbackOrder order(SkuId skuId, String key, String reason) {
        return new RollbackOrder(skuId, key(key), "http", reason);
    }

    private static Owed owed(Debt.Kind kind, SkuId skuId, String key, Integer bucketNo) {
        return new Owed(kind, skuId, key(key), bucketNo, null, "why");
    }

    private List<Debt> owedFor(SkuId skuId, String key) {
        return await(debts.of(skuId, key(key)));
    }

    private boolean isDue(SkuId skuId) {
        return await(debts.due(Duration.ZERO, 10_000)).stream()
                .anyMatch(debt -> debt.skuId().equals(skuId));
    }

    private void remove(SkuId skuId) {
        tables.change("DELETE FROM stock_compensation WHERE sku_id = ?", skuId.value());
    }

    @Nested
    class WhenARollbackCouldNotBeDecided {

        @Test
        void itIsOwedOnceWithItsFirstCauseAndGoesOnceItIsDecided() {
            // Given
            SkuId skuId = gated(10, 0);

            // When
            await(debts.oweRollbacks(List.of(order(skuId, "b", null), order(skuId, "a", "no longer wanted 取消"))));
            await(debts.oweRollbacks(List.of(order(skuId, "a", "again"))));

            // Then
            Debt debt = owedFor(skuId, "a").get(0);
            assertEquals(1, owedFor(skuId, "a").size());
            assertEquals(Debt.Kind.ROLLBACK, debt.kind());
            assertEquals(null, debt.bucketNo());
            assertEquals("no longer wanted 取消", debt.cause());
            assertEquals(null, owedFor(skuId, "b").get(0).cause());
            assertTrue(isDue(skuId));

            // And when
            await(debts.given(debt));
            await(debts.given(debt));

            // Then
            assertEquals(List.of(), owedFor(skuId, "a"));
            await(debts.given(owedFor(skuId, "b").get(0)));
        }

        @Test
        void aCauseThatIsTooLongLosesItsEnd() {
            // Given
            SkuId skuId = gated(10, 0);

            // When
            await(debts.oweRollbacks(List.of(order(skuId, "a", "取".repeat(300)))));

            // Then
            assertEquals("取".repeat(255), owedFor(skuId, "a").get(0).cause());
            remove(skuId);
        }

        @Test
        void nothingAtAllIsNothingToWrite() {
            await(debts.oweRollbacks(List.of()));
        }
    }

    @Nested
    class WhenSeveralKindsAreOwedAtOnce {

        @Test
        void straysKeepTheirBucketAndRollbacksHaveNone() {
            // Given
            SkuId skuId = gated(10, 1, 2);

            // When
            await(debts.owe(List.of(
                    owed(Debt.Kind.STRAY, skuId, "a", 2),
                    owed(Debt.Kind.ROLLBACK, skuId, "a", 2),
                    owed(Debt.Kind.STRAY, skuId, "a", 1))));

            // Then
            assertEquals(
                    "ROLLBACK null, STRAY 1, STRAY 2",
                    owedFor(skuId, "a").stream()
                            .map(debt -> debt.kind() + " " + debt.bucketNo())
                            .collect(Collectors.joining(", ")));
            remove(skuId);
        }
    }

    @Nested
    class WhenACreditIsToldOf {

        @Test
        void theOneThatIsOpenBecomesDue() {
            // Given
            SkuId skuId = gated(10, 0);
            settleOne(skuId, 0, "a", 2);
            rollBack(order(skuId, "a"));
            await(debts.failed(owedFor(skuId, "a").get(0), "the gate hangs", LONG));
            assertTrue(!isDue(skuId));

            // When
            await(debts.owe(List.of(owed(Debt.Kind.CREDIT, skuId, "a", null))));

            // Then
            assertTrue(isDue(skuId));
            Debt debt = owedFor(skuId, "a").get(0);
            assertEquals(1, debt.attempts());
            assertEquals("the gate hangs", debt.lastError());
        }

        @Test
        void nothingIsOwedIfNoneIsOpen() {
            // Given
            SkuId skuId = gated(10, 0);
            settleOne(skuId, 0, "a", 2);

            // When
            await(debts.owe(List.of(owed(Debt.Kind.CREDIT, skuId, "a", null))));

            // Then
            assertEquals(List.of(), owedFor(skuId, "a"));
            assertEquals(1, count(skuId, FlowStatus.DEDUCTED));
        }

        @Test
        void onlyItsFlowRemovesIt() {
            // Given
            SkuId skuId = gated(10, 0);
            settleOne(skuId, 0, "a", 2);
            rollBack(order(skuId, "a"));

            // When
            await(debts.given(owedFor(skuId, "a").get(0)));

            // Then
            assertEquals(1, owedFor(skuId, "a").size());
        }
    }

    @Nested
    class WhenANewerVersionOwesWhatThisOneDoesNotKnow {

        @Test
        void itIsPassedOver() {
            // Given
            SkuId skuId = gated(10, 0);
            tables.change(
                    "INSERT INTO stock_compensation (sku_id, deduct_key, kind) VALUES (?, 'a', 'TOMORROW')",
                    skuId.value());

            // Then
            assertEquals(List.of(), owedFor(skuId, "a"));
            assertTrue(!isDue(skuId));
            assertEquals(
                    List.of(),
                    await(debts.list(new CompensationLedger.Position(skuId.value(), "", "", -1), 1)).stream()
                            .filter(debt -> debt.skuId().equals(skuId))
                            .toList());
            remove(skuId);
        }
    }
}
