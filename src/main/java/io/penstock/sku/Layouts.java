package io.penstock.sku;

import io.penstock.ledger.SkuLedger;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.stock.SkuId;
import io.quarkus.cache.Cache;
import io.quarkus.cache.CacheName;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;

/** The layouts of the SKUs in use, a few seconds old at most; a closed bucket in Redis tells sooner. */
@ApplicationScoped
public class Layouts {

    private final Cache cache;
    private final SkuLedger ledger;

    Layouts(@CacheName("layouts") Cache cache, SkuLedger ledger) {
        this.cache = cache;
        this.ledger = ledger;
    }

    /** @throws ProblemException (as the failure) {@code unknown-sku} */
    public Uni<Layout> of(SkuId skuId) {
        return cache.getAsync(skuId, this::read);
    }

    /** Reads it again: what was known is stale. */
    public Uni<Layout> refresh(SkuId skuId) {
        return cache.invalidate(skuId).chain(() -> of(skuId));
    }

    private Uni<Layout> read(SkuId skuId) {
        return ledger.find(skuId).map(found -> found.map(Layout::of).orElseThrow(() -> unknown(skuId)));
    }

    /** What a SKU that the ledger does not have is answered. */
    public static ProblemException unknown(SkuId skuId) {
        return ProblemException.of(ProblemType.UNKNOWN_SKU, "There is no SKU " + skuId + ".");
    }
}
