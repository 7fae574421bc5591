package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class OutcomeLedgerTest extends LedgerTest {

    @BeforeEach
    void nothingIsOwed() {
        tables.change("DELETE FROM stock_outcome");
    }

    private List<Long> owed(Duration age, int limit) {
        return await(outcomes.owedFor(age, limit)).stream()
                .map(OwedOutcomes::outcomesId)
                .toList();
    }

    @Test
    void owesOutcomesUntilTheyAreSent() {
        // Given
        SkuId sku = gated(10, 1);
        long id = settle(accepted(sku, 1, "a", 2)).outcomesId();

        // When
        await(outcomes.sent(id));
        await(outcomes.sent(id));

        // Then
        assertEquals(List.of(), owed(Duration.ZERO, 10));
    }

    @Test
    void tellsAllOfAnOutcome() {
        // Given
        SkuId sku = gated(10, 1);
        settle(accepted(sku, 1, "a", 2));
        Flow flow = flow(sku, "a");

        // When
        Outcome outcome =
                await(outcomes.owedFor(Duration.ZERO, 10)).get(0).outcomes().get(0);

        // Then
        assertEquals(new Outcome(sku, key("a"), 1, 2, FlowStatus.DEDUCTED, outcome.at()), outcome);
        assertFalse(outcome.at().isBefore(flow.createdAt()));
        assertTrue(outcome.at().isBefore(flow.createdAt().plusSeconds(60)));
    }

    @Test
    void givesTheOldestFirstAndNoMoreThanAskedFor() {
        // Given
        SkuId sku = gated(10, 1);
        long first = settle(accepted(sku, 1, "a", 2)).outcomesId();
        long second = rollBack(order(sku, "a")).outcomesId();
        settle(accepted(sku, 1, "b", 2));

        // When
        List<Long> owed = owed(Duration.ZERO, 2);

        // Then
        assertEquals(List.of(first, second), owed);
    }

    @Test
    void keepsQuietAboutThoseThatAreYoung() {
        // Given
        SkuId sku = gated(10, 1);
        long old = settle(accepted(sku, 1, "a", 2)).outcomesId();
        settle(accepted(sku, 1, "b", 2));
        tables.change("UPDATE stock_outcome SET created_at = created_at - INTERVAL 1 HOUR WHERE id = ?", old);

        // When
        List<Long> owed = owed(Duration.ofMinutes(30), 10);

        // Then
        assertEquals(List.of(old), owed);
    }

    @Test
    void hasNothingToSendForATransactionWithoutOutcomes() {
        // Given
        SkuId sku = gated(10, 1);
        long kept = settle(accepted(sku, 1, "a", 2)).outcomesId();

        // When
        await(outcomes.sent(0));

        // Then
        assertEquals(List.of(kept), owed(Duration.ZERO, 10));
    }
}
