package io.penstock.sku;

import io.penstock.gate.Gate;
import io.penstock.gate.HistoryPage;
import io.penstock.gate.Remembered;
import io.penstock.ledger.AdjustmentLedger;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.Leases;
import io.penstock.ledger.LedgerSku;
import io.penstock.ledger.SkuLedger;
import io.penstock.platform.Schedules;
import io.penstock.stock.BucketId;
import io.penstock.stock.Credit;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Forgets what no retry can ask for any more: tombstones, spill pointers and transfer ids older than the retry horizon on the Redis clock. A key whose credit the
 * ledger owes is kept, and a transfer that is not DONE.
 */
@ApplicationScoped
public class Trimmer {

    private static final Logger LOG = Logger.getLogger(Trimmer.class);
    private static final int SKUS = 100;
    private static final String BACK = "/back";

    private final SkuLedger skus;
    private final FlowLedger flows;
    private final AdjustmentLedger adjustments;
    private final Gate gate;
    private final Leases leases;
    private final WarmUpConfig config;

    Trimmer(
            SkuLedger skus,
            FlowLedger flows,
            AdjustmentLedger adjustments,
            Gate gate,
            Leases leases,
            WarmUpConfig config) {
        this.skus = skus;
        this.flows = flows;
        this.adjustments = adjustments;
        this.gate = gate;
        this.leases = leases;
        this.config = config;
    }

    @Scheduled(
            every = "10m",
            delayed = "10m",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP,
            skipExecutionIf = Schedules.Off.class)
    Uni<Void> trim() {
        return leases.run("trimmer", () -> trimSkus(0));
    }

    private Uni<Void> trimSkus(long after) {
        return skus.list(after, SKUS)
                .chain(page -> Multi.createFrom()
                        .iterable(page)
                        .filter(sku -> sku.strategy() == Strategy.REDIS)
                        .onItem()
                        .transformToMultiAndConcatenate(
                                sku -> Multi.createFrom().iterable(sku.bucketIds()))
                        .onItem()
                        .transformToUniAndConcatenate(bucket -> trim(bucket)
                                .onFailure()
                                .invoke(e -> LOG.warnf(
                                        "not trimmed, tried again later bucket=%s reason=%s", bucket, e.getMessage()))
                                .onFailure()
                                .recoverWithNull())
                        .collect()
                        .last()
                        .chain(() -> page.size() < SKUS ? Uni.createFrom().voidItem() : trimSkus(last(page))));
    }

    private static long last(List<LedgerSku> page) {
        return page.get(page.size() - 1).skuId().value();
    }

    Uni<Void> trim(BucketId bucket) {
        return Multi.createFrom()
                .items(Remembered.values())
                .onItem()
                .transformToUniAndConcatenate(what -> trim(bucket, what, HistoryPage.FIRST))
                .collect()
                .last();
    }

    private Uni<Void> trim(BucketId bucket, Remembered what, String cursor) {
        return gate.old(bucket, what, config.retryHorizon(), cursor)
                .chain(page -> forget(bucket, what, page.names())
                        .chain(() -> page.isLast() ? Uni.createFrom().voidItem() : trim(bucket, what, page.next())));
    }

    private Uni<Void> forget(BucketId bucket, Remembered what, List<String> old) {
        if (old.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return forgettable(bucket.skuId(), what, old)
                .chain(names -> gate.forget(bucket, what, config.retryHorizon(), names))
                .invoke(forgotten -> LOG.infof("trimmed bucket=%s what=%s count=%d", bucket, what, forgotten))
                .replaceWithVoid();
    }

    private Uni<List<String>> forgettable(SkuId skuId, Remembered what, List<String> old) {
        return switch (what) {
            case TOMBSTONE, SPILL ->
                flows.find(skuId, old.stream().map(DeductKey::new).toList())
                        .map(found -> old.stream()
                                .filter(key -> {
                                    var flow = found.get(new DeductKey(key));
                                    return flow == null || flow.credit() != Credit.OWED;
                                })
                                .toList());
            case TRANSFER ->
                adjustments
                        .done(skuId, old.stream().map(Trimmer::transfer).toList())
                        .map(done -> old.stream()
                                .filter(id -> done.contains(transfer(id)))
                                .toList());
        };
    }

    /** What was withdrawn in vain went back under an id of its own. */
    private static String transfer(String id) {
        return id.endsWith(BACK) ? id.substring(0, id.length() - BACK.length()) : id;
    }
}
