package io.penstock.sku;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.ledger.LedgerTables;
import io.penstock.platform.Api;
import io.penstock.stock.BucketId;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TrimmerTest {

    private static final long LONG_AGO = 1_600_000_000_000L;

    @Inject
    Trimmer trimmer;

    @Inject
    RedisDataSource redis;

    @Inject
    LedgerTables tables;

    long sku;

    @BeforeEach
    void aSaleOfTenUnits() {
        sku = Api.newSku(10, 0);
    }

    private String key(String suffix) {
        return "hot_{" + sku + "-SKU_A}_" + suffix;
    }

    private List<String> tombstones() {
        return redis.sortedSet(String.class).zrange(key("rollback_history"), 0, -1);
    }

    private void trim() {
        trimmer.trim(new BucketId(new SkuId(sku), new SkuCode("SKU_A"), 0))
                .await()
                .atMost(Duration.ofSeconds(10));
    }

    private void credit(String state) {
        tables.change("UPDATE stock_deduct_flow SET credit = ? WHERE sku_id = ? AND deduct_key = 'owed'", state, sku);
    }

    private void rolledBackLongAgo(String deductKey) {
        Api.deduct(sku, deductKey, 1).ok(201);
        Api.post("/v1/skus/" + sku + "/deductions/" + deductKey + "/rollback").ok(200);
        redis.sortedSet(String.class).zadd(key("rollback_history"), LONG_AGO, deductKey);
    }

    @Test
    void forgetsTheTombstonesThatNoRetryCanAskFor() {
        // Given
        rolledBackLongAgo("old");
        Api.post("/v1/skus/" + sku + "/deductions/young/rollback").ok(200);

        // When
        trim();

        // Then
        assertEquals(List.of("young"), tombstones());
    }

    @Test
    void keepsATombstoneWhoseCreditIsOwed() {
        // Given: the credit was given, and the ledger has not been told
        rolledBackLongAgo("owed");
        credit("OWED");

        // When
        trim();

        // Then
        assertEquals(List.of("owed"), tombstones());
        credit("DONE");
    }

    @Test
    void forgetsTransfersThatAreDoneAndNoOthers() {
        // Given
        Api.post("/v1/skus/" + sku + "/adjustments", "{\"adjustmentKey\":\"more\",\"delta\":5}")
                .ok(201);
        String done = redis.hash(String.class).hkeys(key("book")).stream()
                .filter(field -> field.contains("/"))
                .findFirst()
                .orElseThrow();
        redis.hash(String.class).hset(key("book"), done, "5:" + LONG_AGO);
        redis.hash(String.class).hset(key("book"), "unknown/0", "5:" + LONG_AGO);

        // When
        trim();

        // Then
        List<String> left = redis.hash(String.class).hkeys(key("book")).stream()
                .filter(field -> field.contains("/"))
                .toList();
        assertEquals(List.of("unknown/0"), left);
    }
}
