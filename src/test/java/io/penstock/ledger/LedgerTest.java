package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.Ordering;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;

/** A real server behind every test, a SKU of its own for each, and the invariants after it. */
abstract class LedgerTest {

    private static final AtomicLong NEXT_SKU = new AtomicLong(System.currentTimeMillis());

    @Inject
    SkuLedger skus;

    @Inject
    FlowLedger flows;

    @Inject
    OutcomeLedger outcomes;

    @Inject
    AdjustmentLedger adjustments;

    @Inject
    LedgerTables tables;

    @Inject
    LedgerInvariants invariants;

    @AfterEach
    void theInvariantsHold() {
        invariants.hold();
    }

    static <T> T await(Uni<T> uni) {
        return uni.await().atMost(Duration.ofSeconds(60));
    }

    /**
     * All at once. As every caller must, each asks again when the ledger did not answer in time, which on a busy machine happens; a
     * deadlock or any other failure fails the test.
     */
    static <T> List<T> together(List<Uni<T>> unis) {
        List<Uni<T>> patient = unis.stream()
                .map(uni -> uni.onFailure(LedgerTest::wasTooLate).retry().atMost(20))
                .toList();
        return await(Uni.join().all(patient).andCollectFailures());
    }

    static boolean wasTooLate(Throwable failure) {
        return failure instanceof LedgerUnavailable && failure.getCause() == null;
    }

    long count(SkuId skuId, FlowStatus status) {
        return tables.number(
                "SELECT COUNT(*) FROM stock_deduct_flow WHERE sku_id = ? AND status = ?", skuId.value(), status.name());
    }

    SkuId gated(long total, Integer... buckets) {
        return defined(total, Strategy.REDIS, buckets);
    }

    SkuId ungated(long total) {
        return defined(total, Strategy.DB_CONDITIONAL, 0);
    }

    private SkuId defined(long total, Strategy strategy, Integer... buckets) {
        SkuId skuId = newSku();
        await(skus.define(
                new SkuDefinition(skuId, new SkuCode("SKU_A"), total, List.of(buckets), strategy, Ordering.SPLIT)));
        return skuId;
    }

    static SkuId newSku() {
        return new SkuId(NEXT_SKU.incrementAndGet());
    }

    static DeductKey key(String value) {
        return new DeductKey(value);
    }

    static Quantity qty(int value) {
        return new Quantity(value);
    }

    static AcceptedDeduction accepted(SkuId skuId, int bucketNo, String key, int qty) {
        return new AcceptedDeduction(skuId, bucketNo, key(key), qty(qty), null);
    }

    static RollbackOrder order(SkuId skuId, String key) {
        return new RollbackOrder(skuId, key(key), "http", null);
    }

    SettledBatch settle(AcceptedDeduction... accepted) {
        return await(flows.settle(List.of(accepted)));
    }

    Settled.Verdict settleOne(SkuId skuId, int bucketNo, String key, int qty) {
        return settle(accepted(skuId, bucketNo, key, qty)).deductions().get(0).verdict();
    }

    List<Settled.Verdict> verdicts(SettledBatch batch) {
        return batch.deductions().stream().map(Settled::verdict).toList();
    }

    RolledBackBatch rollBack(RollbackOrder... orders) {
        return await(flows.rollBack(List.of(orders), true));
    }

    Flow flow(SkuId skuId, String key) {
        return await(flows.find(skuId, key(key))).orElseThrow();
    }

    long available(SkuId skuId, int bucketNo) {
        return bucket(skuId, bucketNo).available();
    }

    LedgerBucket bucket(SkuId skuId, int bucketNo) {
        return await(skus.find(skuId)).orElseThrow().buckets().stream()
                .filter(bucket -> bucket.bucketNo() == bucketNo)
                .findFirst()
                .orElseThrow();
    }

    List<String> journal(SkuId skuId, String key) {
        return tables.column("""
                SELECT CONCAT_WS(' ', changed, changed_by, why, before_value, after_value)
                  FROM stock_journal WHERE sku_id = ? AND deduct_key = ? ORDER BY id
                """, skuId.value(), key);
    }

    /** The events owed under an id. */
    List<String> owedEvents(long outcomesId) {
        return await(outcomes.owedFor(Duration.ZERO, 10_000)).stream()
                .filter(owed -> owed.outcomesId() == outcomesId)
                .flatMap(owed -> owed.outcomes().stream())
                .map(outcome ->
                        outcome.deductKey() + " " + outcome.bucketNo() + " " + outcome.qty() + " " + outcome.status())
                .toList();
    }
}
