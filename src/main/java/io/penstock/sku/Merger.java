package io.penstock.sku;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.gate.Gate;
import io.penstock.gate.Inspection;
import io.penstock.ledger.Leases;
import io.penstock.ledger.LedgerSku;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.TransferLedger;
import io.penstock.platform.Schedules;
import io.penstock.stock.BucketId;
import io.penstock.stock.BucketState;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jboss.logging.Logger;

/**
 * Looks at every bucket again and again: evens out SKUs that need it, empties retired buckets, closes and opens what a crash left otherwise than the ledger says, and finishes transfers that were left
 * open.
 */
@Startup // so that its metric is there, at 0, from the start
@ApplicationScoped
class Merger {

    private static final Logger LOG = Logger.getLogger(Merger.class);
    private static final int SKUS = 100;
    private static final int AT_ONCE = 8;

    /** Older than the request that began it can still be at work. */
    private static final Duration LEFT_OPEN = Duration.ofSeconds(10);

    private final SkuLedger skus;
    private final TransferLedger ledger;
    private final Transfers transfers;
    private final Merges merges;
    private final BucketStates states;
    private final Gate gate;
    private final Leases leases;
    private final MergeConfig config;
    private volatile double mostFragmented;

    Merger(
            SkuLedger skus,
            TransferLedger ledger,
            Transfers transfers,
            Merges merges,
            BucketStates states,
            Gate gate,
            Leases leases,
            MergeConfig config,
            MeterRegistry metrics) {
        this.skus = skus;
        this.ledger = ledger;
        this.transfers = transfers;
        this.merges = merges;
        this.states = states;
        this.gate = gate;
        this.leases = leases;
        this.config = config;
        Gauge.builder("penstock.bucket.fragmentation.max", () -> mostFragmented)
                .description(
                        "碎片率: coefficient of variation of the ACTIVE buckets' stock, of the SKU where it is largest, when this instance last looked")
                .register(metrics);
    }

    private record Seen(BucketId bucket, BucketState state, boolean shouldBeClosed, Inspection inspection) {}

    @Scheduled(
            every = "${penstock.merge.every}",
            delayed = "5s",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP,
            skipExecutionIf = Schedules.Off.class)
    Uni<Void> round() {
        return leases.run(
                "merger",
                () -> finishLeftOpen()
                        .chain(() -> page(0, 0))
                        .invoke(most -> mostFragmented = most)
                        .replaceWithVoid());
    }

    private Uni<Void> finishLeftOpen() {
        return ledger.leftOpen(LEFT_OPEN, SKUS)
                .onItem()
                .transformToMulti(left -> Multi.createFrom().iterable(left))
                .onItem()
                .transformToUniAndConcatenate(skuId -> carefully(skuId, transfers.finishOpen(skuId)))
                .collect()
                .last();
    }

    private Uni<Double> page(long after, double most) {
        return skus.list(after, SKUS)
                .chain(page -> Multi.createFrom()
                        .iterable(page)
                        .filter(sku -> sku.strategy() == Strategy.REDIS)
                        .onItem()
                        .transformToUniAndConcatenate(this::look)
                        .collect()
                        .with(Collectors.reducing(most, Math::max))
                        .chain(now -> page.size() < SKUS
                                ? Uni.createFrom().item(now)
                                : page(page.get(page.size() - 1).skuId().value(), now)));
    }

    /** The SKU's fragmentation. What fails is looked at again in the next round. */
    Uni<Double> look(LedgerSku sku) {
        return Uni.join()
                .all(sku.buckets().stream()
                        .map(bucket -> gate.inspect(sku.bucketId(bucket.bucketNo()))
                                .map(seen -> new Seen(
                                        sku.bucketId(bucket.bucketNo()),
                                        bucket.state(),
                                        BucketStates.closed(bucket.state(), sku.sale()),
                                        seen)))
                        .toList())
                .usingConcurrencyOf(AT_ONCE)
                .andFailFast()
                .chain(seen -> carefully(sku.skuId(), matchStates(seen))
                        .invoke(() -> mergeIfNeeded(sku.skuId(), seen))
                        .replaceWith(fragmentation(seen)))
                .onFailure()
                .invoke(e -> LOG.warnf("buckets not looked at sku=%s reason=%s", sku.skuId(), e.getMessage()))
                .onFailure()
                .recoverWithItem(0.0);
    }

    private Uni<Void> matchStates(List<Seen> seen) {
        return Multi.createFrom()
                .iterable(seen)
                .filter(one -> one.inspection().loaded() && one.inspection().closed() != one.shouldBeClosed())
                .onItem()
                .transformToUniAndConcatenate(one -> states.match(one.bucket()))
                .collect()
                .last();
    }

    private void mergeIfNeeded(SkuId skuId, List<Seen> seen) {
        if (needsMerge(seen)) {
            merges.mergeSoon(skuId);
        }
    }

    private boolean needsMerge(List<Seen> seen) {
        if (seen.stream().anyMatch(one -> !one.inspection().loaded())) {
            return false;
        }
        if (seen.stream()
                .anyMatch(one ->
                        one.state() == BucketState.OFFLINE && one.inspection().stock() > 0)) {
            return true;
        }
        long[] stock = selling(seen);
        double mean = LongStream.of(stock).average().orElse(0);
        return mean >= config.smallestMean()
                && (Skus.fragmentation(stock) > config.fragmentation()
                        || LongStream.of(stock).min().orElse(0) < mean * config.lowRemainder());
    }

    private static double fragmentation(List<Seen> seen) {
        return Skus.fragmentation(selling(seen));
    }

    private static long[] selling(List<Seen> seen) {
        return seen.stream()
                .filter(one ->
                        one.state() == BucketState.ACTIVE && one.inspection().loaded())
                .mapToLong(one -> one.inspection().stock())
                .toArray();
    }

    private static Uni<Void> carefully(SkuId skuId, Uni<Void> work) {
        return work.onFailure()
                .invoke(e -> LOG.warnf("buckets left as they are for now sku=%s reason=%s", skuId, e.getMessage()))
                .onFailure()
                .recoverWithNull();
    }
}
