package io.penstock.sku;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.penstock.ledger.LayoutLedger;
import io.penstock.ledger.SkuLedger;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * The layouts of the SKUs in use. One that is older than a few seconds is read again behind the request that asks for it; while the ledger is away the last one
 * known serves, so that an outage of the ledger does not stop a sale. A bucket that was closed meanwhile says so itself.
 *
 * <p>A SKU that a request asked for in vain is not looked up for another one for a second, so that a flood of wrong numbers does not reach the ledger. One that this instance
 * defines is known at once.
 */
@ApplicationScoped
public class Layouts {

    private static final Logger LOG = Logger.getLogger(Layouts.class);

    private static final Duration UNKNOWN_FOR = Duration.ofSeconds(1);

    private final AsyncLoadingCache<SkuId, Layout> cache;
    private final Cache<SkuId, Boolean> unknown;
    private final SkuLedger ledger;
    private final LayoutLedger formerly;
    private final Duration horizon;

    Layouts(LayoutConfig config, WarmUpConfig warmUp, SkuLedger ledger, LayoutLedger formerly) {
        this.ledger = ledger;
        this.formerly = formerly;
        this.horizon = warmUp.retryHorizon();
        this.cache = Caffeine.newBuilder()
                .maximumSize(config.mostKept())
                .expireAfterAccess(config.forgetAfter())
                .refreshAfterWrite(config.refreshAfter())
                // Null is not kept.
                .buildAsync((skuId, executor) -> read(skuId)
                        .onFailure()
                        .invoke(e -> LOG.warnf("layout not read sku=%s reason=%s", skuId, e.getMessage()))
                        .subscribeAsCompletionStage());
        this.unknown = Caffeine.newBuilder()
                .maximumSize(config.mostKept())
                .expireAfterWrite(UNKNOWN_FOR)
                .build();
    }

    /** @throws ProblemException (as the failure) {@code unknown-sku}: then the ledger has just said so */
    public Uni<Layout> of(SkuId skuId) {
        return Uni.createFrom()
                .completionStage(() -> cache.get(skuId))
                .onItem()
                .ifNull()
                .failWith(() -> unknown(skuId));
    }

    /**
     * For a request, which can be repeated and may be one of a flood.
     *
     * @throws ProblemException (as the failure) {@code unknown-sku}: then the ledger has said so within the last second
     */
    public Uni<Layout> forRequest(SkuId skuId) {
        return Uni.createFrom()
                .deferred(() -> isUnknown(skuId) ? Uni.createFrom().failure(unknown(skuId)) : of(skuId))
                .onFailure(ProblemException.class)
                .invoke(() -> unknown.get(skuId, asked -> true));
    }

    /** What is known wins: it may have been defined since it was asked for in vain. */
    private boolean isUnknown(SkuId skuId) {
        return unknown.getIfPresent(skuId) != null && cache.getIfPresent(skuId) == null;
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
        // In this order: a change between the two is in the second as well.
        return ledger.find(skuId)
                .chain(found -> found.isEmpty()
                        ? Uni.createFrom().nullItem()
                        : formerly.former(skuId, horizon).map(former -> Layout.of(found.get(), former)));
    }

    /** The problem of a SKU that the ledger does not have. */
    public static ProblemException unknown(SkuId skuId) {
        return ProblemException.of(ProblemType.UNKNOWN_SKU, "There is no SKU " + skuId + ".");
    }
}
