package io.penstock.sku;

import io.penstock.gate.Gate;
import io.penstock.gate.Inspection;
import io.penstock.ledger.LedgerBucket;
import io.penstock.ledger.LedgerSku;
import io.penstock.ledger.SkuDefinition;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.SkuLedger.Underway;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.sku.SkuView.BucketView;
import io.penstock.stock.BucketState;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jboss.logging.Logger;

/** Defines and shows SKUs. Fails with {@code unknown-sku}, {@code sku-conflict}, or as the gate and the ledger fail. */
@ApplicationScoped
public class Skus {

    private static final Logger LOG = Logger.getLogger(Skus.class);

    /** Inspections and views under way for one list: enough to keep the servers busy, few enough to leave room for sales. */
    private static final int AT_ONCE = 8;

    private final SkuLedger ledger;
    private final Gate gate;
    private final WarmUp warmUp;
    private final Layouts layouts;

    Skus(SkuLedger ledger, Gate gate, WarmUp warmUp, Layouts layouts) {
        this.ledger = ledger;
        this.gate = gate;
        this.warmUp = warmUp;
        this.layouts = layouts;
    }

    /** @param created false if it was there already, just so */
    public record Defined(boolean created, SkuView sku) {}

    /** Ledger first, then Redis; a crash between is healed by giving the definition again, by warm-up, or by the first deduction. */
    public Uni<Defined> define(SkuDefinition definition) {
        return ledger.define(definition).chain(defined -> switch (defined) {
            case CONFLICT ->
                Uni.createFrom()
                        .failure(ProblemException.of(
                                ProblemType.SKU_CONFLICT,
                                "SKU " + definition.skuId() + " is defined with other values."));
            case CREATED -> {
                LOG.infof(
                        "sku defined sku=%s code=%s total=%d buckets=%s",
                        definition.skuId(), definition.skuCode(), definition.total(), definition.bucketNos());
                yield warmUp(definition.skuId()).map(sku -> new Defined(true, sku));
            }
            case SAME -> warmUp(definition.skuId()).map(sku -> new Defined(false, sku));
        });
    }

    /** 预热: loads what is missing in Redis, never overwrites. */
    public Uni<SkuView> warmUp(SkuId skuId) {
        return layouts.refresh(skuId)
                .chain(layout -> layout.strategy() == Strategy.REDIS
                        ? warmUp.loadMissing(layout)
                        : Uni.createFrom().voidItem())
                .chain(() -> view(skuId));
    }

    public Uni<SkuView> view(SkuId skuId) {
        return ledger.find(skuId)
                .map(found -> found.orElseThrow(() -> Layouts.unknown(skuId)))
                .chain(this::view);
    }

    /** SKUs with a number above {@code after}, ascending. */
    public Uni<List<SkuView>> list(long after, int limit) {
        return ledger.list(after, limit)
                .chain(skus -> Multi.createFrom()
                        .iterable(skus)
                        .onItem()
                        .transformToUni(this::view)
                        .merge(AT_ONCE)
                        .collect()
                        .asList()
                        .map(views -> views.stream()
                                .sorted((a, b) -> Long.compare(a.skuId(), b.skuId()))
                                .toList()));
    }

    private Uni<SkuView> view(LedgerSku sku) {
        if (sku.strategy() != Strategy.REDIS) {
            return Uni.createFrom().item(ungated(sku));
        }
        Uni<List<Inspection>> inspections = Uni.join()
                .all(sku.buckets().stream()
                        .map(bucket -> gate.inspect(sku.bucketId(bucket.bucketNo())))
                        .toList())
                .usingConcurrencyOf(AT_ONCE)
                .andFailFast();
        return Uni.combine()
                .all()
                .unis(inspections, ledger.underway(sku.skuId()))
                .with((seen, underway) -> gated(sku, seen, underway));
    }

    private SkuView gated(LedgerSku sku, List<Inspection> seen, Underway underway) {
        List<BucketView> buckets = new ArrayList<>();
        for (int i = 0; i < seen.size(); i++) {
            buckets.add(bucketView(sku, sku.buckets().get(i), seen.get(i)));
        }
        long sold = sku.total() - sku.available();
        boolean loaded = seen.stream().allMatch(Inspection::loaded);
        long deducted = seen.stream().mapToLong(Inspection::deducted).sum();
        long[] selling = buckets.stream()
                .filter(bucket -> bucket.state() == BucketState.ACTIVE && bucket.loaded())
                .mapToLong(BucketView::stock)
                .toArray();
        return new SkuView(
                sku.skuId().value(),
                sku.skuCode().value(),
                sku.total(),
                sku.strategy(),
                sku.ordering(),
                sku.sale(),
                loaded ? LongStream.of(selling).sum() : null,
                sku.available(),
                loaded ? Math.max(0, deducted - sold - underway.owed()) : null,
                sold,
                underway.owed(),
                underway.moving(),
                loaded ? fragmentation(selling) : null,
                buckets);
    }

    private BucketView bucketView(LedgerSku sku, LedgerBucket bucket, Inspection seen) {
        return new BucketView(
                bucket.bucketNo(),
                bucket.state(),
                seen.loaded(),
                seen.loaded() ? seen.allotment() : null,
                seen.loaded() ? seen.stock() : null,
                seen.loaded() ? seen.entries() : null,
                bucket.available(),
                gate.slot(sku.bucketId(bucket.bucketNo())),
                null);
    }

    private static SkuView ungated(LedgerSku sku) {
        LedgerBucket only = sku.buckets().get(0);
        return new SkuView(
                sku.skuId().value(),
                sku.skuCode().value(),
                sku.total(),
                sku.strategy(),
                sku.ordering(),
                sku.sale(),
                sku.available(),
                sku.available(),
                0L,
                sku.total() - sku.available(),
                0,
                0,
                0.0,
                List.of(new BucketView(
                        only.bucketNo(),
                        only.state(),
                        true,
                        only.allotted(),
                        only.available(),
                        null,
                        only.available(),
                        null,
                        null)));
    }

    /** 碎片率: standard deviation over mean; 0 for empty or single buckets. */
    static double fragmentation(long[] stock) {
        double mean = LongStream.of(stock).average().orElse(0);
        if (mean <= 0) {
            return 0;
        }
        double variance = LongStream.of(stock)
                .mapToDouble(units -> (units - mean) * (units - mean))
                .average()
                .orElse(0);
        return Math.sqrt(variance) / mean;
    }
}
