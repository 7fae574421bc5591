package io.penstock.sku;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.penstock.ledger.SkuLedger;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/**
 * The layouts of the SKUs in use. One that is older than a few seconds is read again behind the request that asks for it; while the ledger is away the last one
 * known serves, so that an outage of the ledger does not stop a sale. A bucket that was closed meanwhile says so itself.
 */
@ApplicationScoped
public class Layouts {

    private static final Logger LOG = Logger.getLogger(Layouts.class);

    private final AsyncLoadingCache<SkuId, Layout> cache;
    private final SkuLedger ledger;

    Layouts(LayoutConfig config, SkuLedger ledger) {
        this.ledger = ledger;
        this.cache = Caffeine.newBuilder()
                .maximumSize(config.mostKept())
                .expireAfterAccess(config.forgetAfter())
                .refreshAfterWrite(config.refreshAfter())
                // Null is not kept: a SKU that is unknown now may be defined the next moment.
                .buildAsync((skuId, executor) -> read(skuId)
                        .onFailure()
                        .invoke(e -> LOG.warnf("layout not read sku=%s reason=%s", skuId, e.getMessage()))
                        .subscribeAsCompletionStage());
    }

    /** @throws ProblemException (as the failure) {@code unknown-sku} */
    public Uni<Layout> of(SkuId skuId) {
        return Uni.createFrom()
                .completionStage(() -> cache.get(skuId))
                .onItem()
                .ifNull()
                .failWith(() -> unknown(skuId));
    }

    /** Reads it again now: what was known is stale. */
    public Uni<Layout> refresh(SkuId skuId) {
        return read(skuId)
                .onItem()
                .ifNull()
                .failWith(() -> unknown(skuId))
                .invoke(layout -> cache.synchronous().put(skuId, layout));
    }

    /** Null if the ledger has no such SKU. */
    private Uni<Layout> read(SkuId skuId) {
        return ledger.find(skuId).map(found -> found.map(Layout::of).orElse(null));
    }

    /** The problem of a SKU that the ledger does not have. */
    public static ProblemException unknown(SkuId skuId) {
        return ProblemException.of(ProblemType.UNKNOWN_SKU, "There is no SKU " + skuId + ".");
    }
}
