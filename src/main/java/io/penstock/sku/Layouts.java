package io.penstock.sku;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.penstock.ledger.SkuLedger;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * The layouts of the SKUs in use. One that is older than a few seconds is read again behind the request that asks for it; while the ledger is away the last one
 * known serves, so that an outage of the ledger does not stop a sale. A bucket that was closed meanwhile says so itself.
 */
@ApplicationScoped
public class Layouts {

    private final AsyncLoadingCache<SkuId, Layout> cache;
    private final SkuLedger ledger;

    Layouts(LayoutConfig config, SkuLedger ledger) {
        this.ledger = ledger;
        this.cache = Caffeine.newBuilder()
                .maximumSize(config.mostKept())
                .expireAfterAccess(config.forgetAfter())
                .refreshAfterWrite(config.refreshAfter())
                .buildAsync((skuId, executor) -> read(skuId).subscribeAsCompletionStage());
    }

    /** @throws ProblemException (as the failure) {@code unknown-sku} */
    public Uni<Layout> of(SkuId skuId) {
        return Uni.createFrom().completionStage(() -> cache.get(skuId));
    }

    /** Reads it again now: what was known is stale. */
    public Uni<Layout> refresh(SkuId skuId) {
        return read(skuId).invoke(layout -> cache.synchronous().put(skuId, layout));
    }

    private Uni<Layout> read(SkuId skuId) {
        return ledger.find(skuId).map(found -> found.map(Layout::of).orElseThrow(() -> unknown(skuId)));
    }

    /** The problem of a SKU that the ledger does not have. */
    public static ProblemException unknown(SkuId skuId) {
        return ProblemException.of(ProblemType.UNKNOWN_SKU, "There is no SKU " + skuId + ".");
    }
}
