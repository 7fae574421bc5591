package io.penstock.sku;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.gate.Gate;
import io.penstock.ledger.LayoutLedger;
import io.penstock.ledger.LedgerSku;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.TransferLedger;
import io.penstock.platform.Api;
import io.penstock.platform.ProblemType;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the schedule puts right by itself. */
@QuarkusTest
class MergerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Inject
    Merger merger;

    @Inject
    SkuLedger skus;

    @Inject
    TransferLedger transfers;

    @Inject
    LayoutLedger layouts;

    @Inject
    Gate gate;

    private static <T> T get(Uni<T> work) {
        return work.await().atMost(PATIENCE);
    }

    private LedgerSku ledger(long sku) {
        return get(skus.find(new SkuId(sku))).orElseThrow();
    }

    private static List<Long> stock(long sku) {
        List<Long> stock = new ArrayList<>();
        Api.view(sku)
                .path("buckets")
                .forEach(bucket -> stock.add(bucket.path("stock").longValue()));
        return stock;
    }

    private static void awaitStock(long sku, Long... expected) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertEquals(List.of(expected), stock(sku));
            assertEquals(0, Api.view(sku).path("moving").longValue());
        });
    }

    /** Bucket 1 is emptied into bucket 2. */
    private long uneven(long total) {
        long sku = Api.newSku(total, 2);
        Api.put("/v1/skus/" + sku + "/buckets/1", "{\"state\":\"OFFLINE\"}").ok(200);
        get(layouts.setActive(new SkuId(sku), now -> Set.of(1, 2), Duration.ofHours(1)));
        return sku;
    }

    @Test
    void anUnevenSkuIsEvenedOutAndOpensWhatTheLedgerSaysIsOpen() {
        // Given
        long sku = uneven(100);
        assertEquals(List.of(0L, 100L), stock(sku));

        // When
        double fragmentation = get(merger.look(ledger(sku)));

        // Then
        assertEquals(1.0, fragmentation);
        awaitStock(sku, 50L, 50L);
        JsonNode all = Api.deduct(sku, "all", 100).ok(201);
        assertEquals("DEDUCTED_LAST", all.path("outcome").textValue());
    }

    @Test
    void aTinyOneIsLeftAlone() {
        long sku = uneven(19);

        get(merger.look(ledger(sku)));

        assertEquals(List.of(0L, 19L), stock(sku));
        assertEquals(0, Api.view(sku).path("moving").longValue());
    }

    @Test
    void aBucketThatSellsAlthoughTheSaleIsPausedIsClosed() {
        // Given
        long sku = Api.newSku(100, 2);
        Api.put("/v1/skus/" + sku + "/sale", "{\"state\":\"PAUSED\"}").ok(200);
        LedgerSku paused = ledger(sku);
        get(gate.open(paused.bucketId(1)));
        get(gate.open(paused.bucketId(2)));

        // When
        get(merger.look(paused));

        // Then
        Api.deduct(sku, "order-1", 1).problem(ProblemType.SALE_PAUSED);
    }

    @Test
    void whatComesToARetiredBucketMovesOn() {
        // Given
        long sku = Api.newSku(100, 2);
        Api.put("/v1/skus/" + sku + "/buckets/1", "{\"state\":\"OFFLINE\"}").ok(200);
        get(transfers.start(new SkuId(sku), "test/" + sku, 2, 1, 7));

        // When the transfer is finished, by whoever meets it, and the bucket is looked at
        get(merger.look(ledger(sku)));
        Api.post("/v1/skus/" + sku + "/merge").ok(200);

        // Then
        awaitStock(sku, 0L, 100L);
    }

    @Test
    void aTransferLeftOpenKeepsNobodyFromGathering() {
        // Given
        long sku = Api.newSku(10, 2);
        get(transfers.start(new SkuId(sku), "test/" + sku, 1, 2, 3));

        // When
        JsonNode sold = Api.deduct(sku, "all", 10).ok(201);

        // Then
        assertEquals("DEDUCTED_LAST", sold.path("outcome").textValue());
        awaitStock(sku, 0L, 0L);
    }
}
