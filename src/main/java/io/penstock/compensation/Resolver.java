package io.penstock.compensation;

import io.penstock.deduction.AcceptedLog;
import io.penstock.gate.Gate;
import io.penstock.gate.HistoryPage;
import io.penstock.gate.Inspection;
import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.Leases;
import io.penstock.ledger.LedgerBucket;
import io.penstock.ledger.LedgerSku;
import io.penstock.ledger.Repair;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.Stray;
import io.penstock.platform.Fence;
import io.penstock.platform.Schedules;
import io.penstock.settlement.DeductMessage;
import io.penstock.sku.Calibration;
import io.penstock.sku.Layouts;
import io.penstock.sku.WarmUp;
import io.penstock.stock.BucketId;
import io.penstock.stock.Credit;
import io.penstock.stock.DeductKey;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.Quantity;
import io.penstock.stock.Strategy;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Finds the history entries that no flow confirms (孤儿, 脏数据) and the entries that Redis lost, and puts them right. A bucket is worth a closer look if its book differs from
 * the ledger before and after a fence; an entry is acted on if no flow confirms it in two scans with a fence and the grace between.
 *
 * <p>An orphan is settled forward, never cancelled: it may have been accepted. Only if taking out all orphans of a bucket makes its history fit its book exactly, no
 * script wrote them, and they go without a unit.
 */
@ApplicationScoped
public class Resolver {

    private static final Logger LOG = Logger.getLogger(Resolver.class);
    private static final String BY = "resolver";
    private static final int SKUS = 100;
    private static final int AT_ONCE = 16;
    private static final Duration LONGEST_FENCE = Duration.ofSeconds(30);

    private final SkuLedger skus;
    private final FlowLedger flows;
    private final CompensationLedger debts;
    private final Gate gate;
    private final Fence fence;
    private final AcceptedLog log;
    private final Layouts layouts;
    private final Calibration calibration;
    private final WarmUp warmUp;
    private final Leases leases;
    private final ResolverConfig config;

    Resolver(
            SkuLedger skus,
            FlowLedger flows,
            CompensationLedger debts,
            Gate gate,
            Fence fence,
            AcceptedLog log,
            Layouts layouts,
            Calibration calibration,
            WarmUp warmUp,
            Leases leases,
            ResolverConfig config) {
        this.skus = skus;
        this.flows = flows;
        this.debts = debts;
        this.gate = gate;
        this.fence = fence;
        this.log = log;
        this.layouts = layouts;
        this.calibration = calibration;
        this.warmUp = warmUp;
        this.leases = leases;
        this.config = config;
    }

    @Scheduled(
            every = "${penstock.resolver.every}",
            delayed = "5s",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP,
            skipExecutionIf = Schedules.Off.class)
    Uni<Void> resolve() {
        return leases.run("resolver", () -> round(0));
    }

    private Uni<Void> round(long after) {
        return skus.list(after, SKUS)
                .chain(page -> resolve(page)
                        .chain(() -> page.size() < SKUS
                                ? Uni.createFrom().voidItem()
                                : round(page.get(page.size() - 1).skuId().value())));
    }

    Uni<Void> resolve(List<LedgerSku> page) {
        return differing(page).chain(this::resolveAll);
    }

    /** Each bucket on its own: one that cannot be put right yet keeps no other waiting. */
    private Uni<Void> resolveAll(List<Look> differing) {
        if (differing.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return fence.pass(LONGEST_FENCE)
                .chain(() -> Multi.createFrom()
                        .iterable(differing)
                        .onItem()
                        .transformToUni(look -> resolve(look)
                                .onFailure()
                                .invoke(e -> LOG.warnf(
                                        "bucket not resolved, tried again soon bucket=%s reason=%s",
                                        look.bucket(), e.getMessage()))
                                .onFailure()
                                .recoverWithNull())
                        .merge(AT_ONCE)
                        .collect()
                        .last()
                        .replaceWithVoid());
    }

    /** What a bucket looked like: the ledger first, the gate a moment later. */
    private record Look(BucketId bucket, LedgerBucket ledger, Inspection gate) {

        boolean differs() {
            return gate.deducted() != ledger.sold() || isUnsound();
        }

        /** No moment of a sound bucket shows this. */
        boolean isUnsound() {
            return gate.entries() != gate.count() || gate.stock() + gate.deducted() != gate.allotment();
        }

        /** Nor this, but for units on their way and credits given between the two looks. */
        boolean hasLost() {
            return gate.deducted() < ledger.sold() || gate.allotment() != ledger.allotted();
        }
    }

    /** A bucket that cannot be looked at is left to the next round. */
    private Uni<List<Look>> differing(List<LedgerSku> page) {
        Unseen unseen = new Unseen();
        return Multi.createFrom()
                .iterable(page)
                .filter(sku -> sku.strategy() == Strategy.REDIS)
                .onItem()
                .transformToMultiAndConcatenate(
                        sku -> Multi.createFrom().iterable(sku.buckets()).map(bucket -> Map.entry(sku, bucket)))
                .onItem()
                .transformToUni(bucket -> unseen.left(
                        bucket.getKey().bucketId(bucket.getValue().bucketNo()), id -> look(id, bucket.getValue())))
                .merge(AT_ONCE)
                .filter(look ->
                        look.map(seen -> seen.differs() || seen.hasLost()).orElse(false))
                .map(Optional::get)
                .collect()
                .asList()
                .invoke(unseen::tell);
    }

    /** The buckets of a page that could not be looked at: one line for all of them. */
    private static final class Unseen {

        private final Map<BucketId, Throwable> failures = new ConcurrentHashMap<>();

        Uni<Optional<Look>> left(BucketId bucket, Function<BucketId, Uni<Optional<Look>>> look) {
            return look.apply(bucket)
                    .onFailure()
                    .invoke(e -> failures.put(bucket, e))
                    .onFailure()
                    .recoverWithItem(Optional.empty());
        }

        void tell() {
            failures.entrySet().stream()
                    .findFirst()
                    .ifPresent(one -> LOG.warnf(
                            "buckets not looked at, tried again soon buckets=%d one=%s reason=%s",
                            failures.size(), one.getKey(), one.getValue().getMessage()));
        }
    }

    /** Empty for a bucket that is not loaded: it is loaded now. */
    private Uni<Optional<Look>> look(BucketId bucket, LedgerBucket ledger) {
        return gate.inspect(bucket)
                .chain(seen -> seen.loaded()
                        ? Uni.createFrom().item(Optional.of(new Look(bucket, ledger, seen)))
                        : warmUp.load(bucket).replaceWith(Optional.empty()));
    }

    private Uni<Optional<Look>> lookAgain(BucketId bucket) {
        return skus.find(bucket.skuId())
                .map(Optional::orElseThrow)
                .map(sku -> sku.buckets().stream()
                        .filter(found -> found.bucketNo() == bucket.bucketNo())
                        .findFirst()
                        .orElseThrow())
                .chain(ledger -> look(bucket, ledger));
    }

    private Uni<Void> resolve(Look before) {
        return lookAgain(before.bucket()).chain(now -> {
            if (now.isEmpty()) {
                return Uni.createFrom().voidItem();
            }
            // What had been accepted at the first look has been settled by now, so its sum can be compared with the
            // ledger's.
            boolean ahead = before.gate().deducted() > now.get().ledger().sold();
            boolean foreign = now.get().gate().entries() > now.get().gate().count();
            return (ahead || foreign
                            ? scanTwice(before.bucket())
                            : Uni.createFrom().voidItem())
                    .chain(() -> calibrateIfLost(before, now.get()));
        });
    }

    private Uni<Void> calibrateIfLost(Look before, Look now) {
        boolean unsound = before.isUnsound() && now.isUnsound();
        boolean lost = before.hasLost() && now.hasLost();
        if (!unsound && !lost) {
            return Uni.createFrom().voidItem();
        }
        LOG.warnf(
                "bucket differs from the ledger, calibrated bucket=%s gate=%s ledger=%s",
                now.bucket(), now.gate(), now.ledger());
        return calibration.calibrate(now.bucket());
    }

    private Uni<Void> scanTwice(BucketId bucket) {
        return unconfirmed(bucket, HistoryPage.FIRST, new HashMap<>())
                .chain(first -> first.isEmpty()
                        ? Uni.createFrom().voidItem()
                        : Uni.createFrom()
                                .voidItem()
                                .onItem()
                                .delayIt()
                                .by(config.grace())
                                .chain(() -> fence.pass(LONGEST_FENCE))
                                .chain(() -> gate.held(bucket, first.keySet()))
                                .chain(still -> {
                                    still.entrySet()
                                            .removeIf(entry -> !entry.getValue().equals(first.get(entry.getKey())));
                                    return flowsOf(bucket, still)
                                            .chain(known -> act(bucket, new Unconfirmed(bucket, still, known)));
                                }));
    }

    /** All entries of the bucket that no flow confirms, by key. */
    private Uni<Map<String, String>> unconfirmed(BucketId bucket, String cursor, Map<String, String> found) {
        return gate.scan(bucket, cursor)
                .chain(page -> flowsOf(bucket, page.entries()).chain(known -> {
                    page.entries().forEach((key, entry) -> {
                        if (!confirms(known.get(key), bucket, entry)) {
                            found.put(key, entry);
                        }
                    });
                    return page.isLast() ? Uni.createFrom().item(found) : unconfirmed(bucket, page.next(), found);
                }));
    }

    /** By key as Redis has it; what is no deduct key has none. */
    private Uni<Map<String, Flow>> flowsOf(BucketId bucket, Map<String, String> entries) {
        List<DeductKey> keys = entries.keySet().stream()
                .map(Resolver::deductKey)
                .flatMap(Optional::stream)
                .toList();
        if (keys.isEmpty()) {
            return Uni.createFrom().item(Map.of());
        }
        return flows.find(bucket.skuId(), keys).map(found -> {
            Map<String, Flow> byKey = new HashMap<>();
            found.forEach((key, flow) -> byKey.put(key.value(), flow));
            return byKey;
        });
    }

    private static boolean confirms(Flow flow, BucketId bucket, String entry) {
        return flow != null
                && flow.status() == FlowStatus.DEDUCTED
                && flow.bucketNo() == bucket.bucketNo()
                && entry.equals(String.valueOf(flow.qty()));
    }

    /** Entries of one bucket that no flow confirms, by what is to be done about them. */
    private static final class Unconfirmed {

        private final Map<String, String> orphans = new LinkedHashMap<>();
        private final List<Stray> strays = new ArrayList<>();
        private final List<Flow> otherQty = new ArrayList<>();

        Unconfirmed(BucketId bucket, Map<String, String> entries, Map<String, Flow> known) {
            entries.forEach((key, entry) -> {
                Flow flow = known.get(key);
                if (flow == null) {
                    orphans.put(key, entry);
                } else if (flow.credit() == Credit.OWED || confirms(flow, bucket, entry)) {
                    // The sweeper gives what is owed.
                } else if (flow.status() != FlowStatus.DEDUCTED || flow.bucketNo() != bucket.bucketNo()) {
                    strays.add(stray(bucket, flow, entry));
                } else {
                    otherQty.add(flow);
                }
            });
        }

        /** What a hand may have written, and a script may not have. */
        List<String> suspects() {
            List<String> suspects = new ArrayList<>(orphans.keySet());
            strays.forEach(stray -> suspects.add(stray.deductKey().value()));
            return suspects;
        }
    }

    /** Its restore gives back what the entry says; the number in the debt is for whoever reads it. */
    private static Stray stray(BucketId bucket, Flow flow, String entry) {
        int units = quantity(entry).map(Quantity::value).orElse(0);
        return new Stray(flow.skuId(), flow.deductKey(), bucket.bucketNo(), units);
    }

    private Uni<Void> act(BucketId bucket, Unconfirmed found) {
        return gate.inspect(bucket)
                .chain(seen -> removeForeign(bucket, seen, found.suspects())
                        .chain(removed -> removed
                                ? Uni.createFrom().voidItem()
                                : settleForward(bucket, seen.epoch(), found.orphans)
                                        .chain(() -> restore(bucket, found.strays))))
                .chain(() -> adopt(bucket, found.otherQty));
    }

    /**
     * Whether no script wrote any of them, and they are gone. If that cannot be said, the book is made to count all of them: another resolver that slept could still remove what
     * is about to be settled.
     */
    private Uni<Boolean> removeForeign(BucketId bucket, Inspection seen, List<String> suspects) {
        if (seen.entries() <= seen.count() || suspects.isEmpty()) {
            return Uni.createFrom().item(false);
        }
        return (suspects.size() > Gate.MOST_REMOVED ? Uni.createFrom().item(0) : gate.remove(bucket, seen, suspects))
                .chain(removed -> removed == suspects.size()
                        ? removed(bucket, suspects).replaceWith(true)
                        : calibration.calibrate(bucket).replaceWith(false));
    }

    private Uni<Void> restore(BucketId bucket, List<Stray> strays) {
        if (strays.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        LOG.warnf(
                "strays found bucket=%s strays=%d first=%s",
                bucket, strays.size(), strays.get(0).deductKey());
        return debts.oweStrays(strays);
    }

    private Uni<Void> adopt(BucketId bucket, List<Flow> otherQty) {
        return Multi.createFrom()
                .iterable(otherQty)
                .onItem()
                .transformToUniAndConcatenate(flow -> gate.adopt(bucket, flow.deductKey(), new Quantity(flow.qty())))
                .collect()
                .last()
                .chain(() -> note(
                        Repair.Kind.ADOPTED,
                        bucket,
                        otherQty.stream().map(Flow::deductKey).toList(),
                        "the entry had another quantity than its flow"));
    }

    private Uni<Void> removed(BucketId bucket, List<String> entries) {
        LOG.warnf("entries removed that no script wrote bucket=%s entries=%s", bucket, entries);
        return note(
                Repair.Kind.REMOVED,
                bucket,
                entries.stream()
                        .map(Resolver::deductKey)
                        .flatMap(Optional::stream)
                        .toList(),
                "no script wrote the entry");
    }

    private Uni<Void> settleForward(BucketId bucket, long epoch, Map<String, String> orphans) {
        if (orphans.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        List<DeductMessage.Deduction> deductions = new ArrayList<>();
        orphans.forEach((key, entry) -> deductKey(key)
                .ifPresent(deductKey -> quantity(entry)
                        .ifPresent(qty -> deductions.add(new DeductMessage.Deduction(deductKey, qty, null)))));
        LOG.warnf("orphans settled forward bucket=%s orphans=%d", bucket, deductions.size());
        return layouts.of(bucket.skuId())
                .chain(layout -> Multi.createFrom()
                        .iterable(deductions)
                        .onItem()
                        .transformToUni(deduction -> log.append(layout.ordering(), bucket, epoch, deduction))
                        .merge(AT_ONCE)
                        .collect()
                        .last())
                .chain(() -> note(
                        Repair.Kind.SETTLED_FORWARD,
                        bucket,
                        deductions.stream()
                                .map(DeductMessage.Deduction::deductKey)
                                .toList(),
                        "Redis had taken it and the ledger had not heard of it"));
    }

    private Uni<Void> note(Repair.Kind kind, BucketId bucket, List<DeductKey> keys, String why) {
        return keys.isEmpty()
                ? Uni.createFrom().voidItem()
                : flows.note(keys.stream()
                        .map(key -> new Repair(bucket.skuId(), bucket.bucketNo(), key, kind, BY, why, null))
                        .toList());
    }

    private static Optional<DeductKey> deductKey(String text) {
        return valid(() -> new DeductKey(text));
    }

    private static Optional<Quantity> quantity(String text) {
        return valid(() -> new Quantity(Integer.parseInt(text)));
    }

    /** Whoever writes to Redis by hand may have written anything. */
    private static <T> Optional<T> valid(Supplier<T> value) {
        try {
            return Optional.of(value.get());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
