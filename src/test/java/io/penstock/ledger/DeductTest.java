package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.DeductCode;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The twins of the script: both answer alike. */
@QuarkusTest
class DeductTest extends LedgerTest {

    @Nested
    class ByAConditionalUpdate extends Twin {

        @Override
        Uni<LedgerDeduction> deduct(SkuId sku, String key, int qty) {
            return flows.deductConditional(sku, key(key), qty(qty), "t-9");
        }
    }

    @Nested
    class ByASelectForUpdate extends Twin {

        @Override
        Uni<LedgerDeduction> deduct(SkuId sku, String key, int qty) {
            return flows.deductPessimistic(sku, key(key), qty(qty), "t-9");
        }
    }

    abstract class Twin {

        abstract Uni<LedgerDeduction> deduct(SkuId sku, String key, int qty);

        private DeductCode code(SkuId sku, String key, int qty) {
            return await(deduct(sku, key, qty)).code();
        }

        @Test
        void takesUnitsWithTheFlowTheJournalAndTheOutcome() {
            // Given
            SkuId sku = ungated(10);

            // When
            LedgerDeduction deduction = await(deduct(sku, "order-1", 4));

            // Then
            assertEquals(DeductCode.DEDUCTED, deduction.code());
            assertEquals(6, deduction.available());
            assertEquals(flow(sku, "order-1"), deduction.flow());
            assertEquals(List.of("DEDUCTED http 0 4"), journal(sku, "order-1"));
            assertEquals(List.of("order-1 0 4 DEDUCTED"), owedEvents(deduction.outcomesId()));
            assertEquals(6, available(sku, 0));
        }

        @Test
        void saysWhenTheBucketIsEmptyNow() {
            // Given
            SkuId sku = ungated(4);

            // When
            LedgerDeduction deduction = await(deduct(sku, "order-1", 4));

            // Then
            assertEquals(DeductCode.DEDUCTED_LAST, deduction.code());
            assertEquals(0, deduction.available());
        }

        @Test
        void refusesMoreThanThereIsAndLeavesNoTrace() {
            // Given
            SkuId sku = ungated(3);

            // When
            LedgerDeduction deduction = await(deduct(sku, "order-1", 4));

            // Then
            assertEquals(new LedgerDeduction(DeductCode.INSUFFICIENT, null, 3, 0), deduction);
            assertTrue(await(flows.find(sku, key("order-1"))).isEmpty());
            assertEquals(DeductCode.DEDUCTED, code(sku, "order-1", 2));
        }

        @Test
        void answersAKnownKeyEvenIfNothingIsLeftOrTheSaleIsPaused() {
            // Given
            SkuId sku = ungated(4);
            LedgerDeduction first = await(deduct(sku, "order-1", 4));
            tables.change("UPDATE sku SET sale = 'PAUSED' WHERE sku_id = ?", sku.value());

            // When
            LedgerDeduction same = await(deduct(sku, "order-1", 4));

            // Then
            assertEquals(DeductCode.DUPLICATE, same.code());
            assertEquals(first.flow(), same.flow());
            assertEquals(DeductCode.KEY_REUSED, code(sku, "order-1", 3));
        }

        @Test
        void refusesAFinishedKey() {
            // Given
            SkuId sku = ungated(4);
            await(deduct(sku, "order-1", 4));
            await(flows.rollBack(List.of(order(sku, "order-1"), order(sku, "order-2")), false));

            // When
            LedgerDeduction late = await(deduct(sku, "order-1", 4));

            // Then
            assertEquals(DeductCode.FINISHED, late.code());
            assertEquals(flow(sku, "order-1"), late.flow());
            assertEquals(DeductCode.FINISHED, code(sku, "order-2", 1));
            assertEquals(4, available(sku, 0));
        }

        @Test
        void refusesNewKeysWhileTheSaleIsPaused() {
            // Given
            SkuId sku = ungated(4);
            tables.change("UPDATE sku SET sale = 'PAUSED' WHERE sku_id = ?", sku.value());

            // When
            LedgerDeduction deduction = await(deduct(sku, "order-1", 1));

            // Then
            assertEquals(DeductCode.CLOSED, deduction.code());
            assertNull(deduction.flow());
            assertTrue(await(flows.find(sku, key("order-1"))).isEmpty());
        }

        @Test
        void tellsAnUnknownSkuFromAnEmptyOne() {
            // When
            Uni<LedgerDeduction> deduction = deduct(newSku(), "order-1", 1);

            // Then
            assertThrows(UnknownSku.class, () -> await(deduction));
        }

        @Test
        void sellsExactlyTheStockToManyAtOnce() {
            // Given
            SkuId sku = ungated(60);

            // When
            together(IntStream.range(0, 200)
                    .mapToObj(i -> deduct(sku, "order-" + i / 2, 1))
                    .toList());

            // Then
            assertEquals(0, available(sku, 0));
            assertEquals(60, count(sku, FlowStatus.DEDUCTED));
            assertEquals(60, tables.number("SELECT COUNT(*) FROM stock_deduct_flow WHERE sku_id = ?", sku.value()));
        }
    }
}
