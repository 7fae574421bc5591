package io.penstock.compensation;

import io.penstock.ledger.SkuLedger;
import io.penstock.platform.Fence;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** For a test that says itself when the background jobs run. */
@ApplicationScoped
public class BackgroundWork {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Fence fence;
    private final Sweeper sweeper;
    private final Resolver resolver;
    private final SkuLedger skus;

    BackgroundWork(Fence fence, Sweeper sweeper, Resolver resolver, SkuLedger skus) {
        this.fence = fence;
        this.sweeper = sweeper;
        this.resolver = resolver;
        this.skus = skus;
    }

    /** Once what Kafka has is settled: one sweep, and one look at the SKU's buckets. */
    public Uni<Void> round(SkuId skuId) {
        return fence.pass(PATIENCE)
                .chain(sweeper::sweep)
                .chain(() -> skus.find(skuId))
                .map(Optional::orElseThrow)
                .chain(sku -> resolver.resolve(List.of(sku)));
    }
}
