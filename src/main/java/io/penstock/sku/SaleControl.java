package io.penstock.sku;

import io.penstock.ledger.LayoutLedger;
import io.penstock.ledger.LedgerSku;
import io.penstock.ledger.UnknownSku;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.stock.BucketState;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * Pauses and opens sales, retires buckets and brings them back, changes how many there are, and merges them. Ledger first, then Redis; what a failure leaves between the two is made to agree by asking
 * again, by {@link Merger}, or by the next load. Fails with {@code unknown-sku}, or as the gate and the ledger fail.
 */
@ApplicationScoped
public class SaleControl {

    private static final Logger LOG = Logger.getLogger(SaleControl.class);

    private final LayoutLedger ledger;
    private final Layouts layouts;
    private final BucketStates states;
    private final WarmUp warmUp;
    private final Merges merges;
    private final Skus skus;
    private final WarmUpConfig retries;
    private final MergeConfig config;

    SaleControl(
            LayoutLedger ledger,
            Layouts layouts,
            BucketStates states,
            WarmUp warmUp,
            Merges merges,
            Skus skus,
            WarmUpConfig retries,
            MergeConfig config) {
        this.ledger = ledger;
        this.layouts = layouts;
        this.states = states;
        this.warmUp = warmUp;
        this.merges = merges;
        this.skus = skus;
        this.retries = retries;
        this.config = config;
    }

    /** @param even false while units still move: they go on to their end */
    public record Changed(boolean even, SkuView sku) {}

    /** When it ends, no instance sells to a new key, or every one does. */
    public Uni<SkuView> setSale(SkuId skuId, SaleState sale) {
        return ledger.setSale(skuId, sale)
                .onFailure(UnknownSku.class)
                .transform(e -> Layouts.unknown(skuId))
                .invoke(sku -> LOG.infof("sale set sku=%s sale=%s", skuId, sku.sale()))
                .chain(this::matchStates)
                .chain(() -> layouts.refresh(skuId))
                .chain(() -> skus.view(skuId));
    }

    /** @throws ProblemException (as the failure) {@code last-bucket}; {@code not-found} if the SKU has no such bucket */
    public Uni<Changed> setState(SkuId skuId, int bucketNo, BucketState state) {
        return setActive(skuId, sku -> {
            if (sku.buckets().stream().noneMatch(bucket -> bucket.bucketNo() == bucketNo)) {
                throw ProblemException.of(ProblemType.NOT_FOUND, "SKU " + skuId + " has no bucket " + bucketNo + ".");
            }
            Set<Integer> active = sku.numbers(BucketState.ACTIVE);
            if (state == BucketState.ACTIVE) {
                active.add(bucketNo);
            } else {
                active.remove(bucketNo);
            }
            if (active.isEmpty()) {
                throw ProblemException.of(
                        ProblemType.LAST_BUCKET,
                        "Bucket " + bucketNo + " is the last one of SKU " + skuId + " that sells.");
            }
            return active;
        });
    }

    /**
     * Retired buckets come back before there are new ones; those with the highest numbers are retired first.
     *
     * @param count ACTIVE buckets that there are to be, at least 1
     * @throws ProblemException (as the failure) {@code not-bucketed}
     */
    public Uni<Changed> setCount(SkuId skuId, int count) {
        return setActive(skuId, sku -> {
            if (sku.strategy() != Strategy.REDIS || sku.buckets().get(0).bucketNo() == 0) {
                throw ProblemException.of(ProblemType.NOT_BUCKETED, "SKU " + skuId + " has no buckets.");
            }
            TreeSet<Integer> active = sku.numbers(BucketState.ACTIVE);
            TreeSet<Integer> retired = sku.numbers(BucketState.OFFLINE);
            int next = sku.buckets().get(sku.buckets().size() - 1).bucketNo() + 1;
            while (active.size() < count) {
                active.add(retired.isEmpty() ? next++ : retired.pollFirst());
            }
            while (active.size() > count) {
                active.pollLast();
            }
            return active;
        });
    }

    public Uni<Changed> merge(SkuId skuId) {
        return layouts.refresh(skuId)
                .chain(layout -> layout.strategy() == Strategy.REDIS
                        ? even(skuId)
                        : Uni.createFrom().item(true))
                .chain(even -> changed(skuId, even));
    }

    private Uni<Changed> setActive(SkuId skuId, Function<LedgerSku, Set<Integer>> active) {
        return ledger.setActive(skuId, active, retries.retryHorizon())
                .onFailure(UnknownSku.class)
                .transform(e -> Layouts.unknown(skuId))
                .invoke(sku -> LOG.infof("buckets set sku=%s active=%s", skuId, sku.numbers(BucketState.ACTIVE)))
                .call(this::matchStates)
                .chain(sku -> layouts.refresh(skuId))
                .chain(layout -> layout.strategy() == Strategy.REDIS
                        ? warmUp.loadMissing(layout).chain(() -> even(skuId))
                        : Uni.createFrom().item(true))
                .chain(even -> changed(skuId, even));
    }

    private Uni<Void> matchStates(LedgerSku sku) {
        if (sku.strategy() != Strategy.REDIS) {
            return Uni.createFrom().voidItem();
        }
        return Multi.createFrom()
                .iterable(sku.bucketIds())
                .onItem()
                .transformToUniAndMerge(states::match)
                .collect()
                .last();
    }

    /** Whether it was in time: it goes on in any case. */
    private Uni<Boolean> even(SkuId skuId) {
        return merges.merge(skuId)
                .replaceWith(true)
                .ifNoItem()
                .after(config.patience())
                .recoverWithItem(false);
    }

    private Uni<Changed> changed(SkuId skuId, boolean even) {
        return skus.view(skuId).map(sku -> new Changed(even, sku));
    }
}
