package io.penstock.sku;

import io.penstock.stock.BucketId;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * 分片合并: evens a SKU's buckets out, and empties its retired ones; and gathers units in one bucket for a request that is larger than any. One of each for a SKU at a time on this instance.
 */
@ApplicationScoped
public class Merges {

    private static final Logger LOG = Logger.getLogger(Merges.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

    /** Some minutes: then the schedule goes on with it. */
    private static final int TRIES = 60;

    private static final int AT_ONCE = 8;

    private final Layouts layouts;
    private final WarmUp warmUp;
    private final Transfers transfers;
    private final Map<SkuId, Uni<Void>> merging = new ConcurrentHashMap<>();
    private final Map<SkuId, Uni<Void>> gathering = new ConcurrentHashMap<>();

    Merges(Layouts layouts, WarmUp warmUp, Transfers transfers) {
        this.layouts = layouts;
        this.warmUp = warmUp;
        this.transfers = transfers;
    }

    /** So many units are to move. */
    record Move(BucketId from, BucketId to, long units) {}

    /** A bucket and the units it has to sell. */
    record Stock(BucketId bucket, boolean active, long units) {}

    /**
     * Ends when every ACTIVE bucket has been given an equal share of what there was at the call, and no retired one has units left. Goes on to its end whether or not anyone waits; what fails is
     * tried again.
     */
    Uni<Void> merge(SkuId skuId) {
        Uni<Void> begunBefore = merging.get(skuId);
        return begunBefore == null
                ? begin(skuId)
                // It may not know what the caller has changed.
                : begunBefore.onFailure().recoverWithNull().chain(() -> merge(skuId));
    }

    /** The same, and nobody waits for it: a SKU that cannot be merged for now keeps no other waiting. */
    void mergeSoon(SkuId skuId) {
        begin(skuId);
    }

    private Uni<Void> begin(SkuId skuId) {
        return once(
                merging,
                skuId,
                () -> mergeNow(skuId)
                        .onFailure()
                        .invoke(e -> LOG.warnf("merge goes on soon sku=%s reason=%s", skuId, e.getMessage()))
                        .onFailure()
                        .retry()
                        .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                        .atMost(TRIES));
    }

    private Uni<Void> mergeNow(SkuId skuId) {
        return transfers
                .finishOpen(skuId)
                .chain(() -> layouts.refresh(skuId))
                .chain(layout -> stocks(layout, layout.buckets()))
                .chain(stocks -> all(plan(stocks), "merge"));
    }

    /** Moves what has come to a retired bucket on to the ACTIVE one that has the fewest units; that one's number. */
    public Uni<Integer> moveOn(Layout layout, BucketId retired) {
        return stocks(layout, layout.active()).chain(active -> {
            BucketId to = active.stream()
                    .min(Comparator.comparingLong(Stock::units))
                    .orElseThrow()
                    .bucket();
            return warmUp.inspect(retired)
                    .chain(seen -> seen.stock() > 0
                            ? transfers.move(retired, to, seen.stock(), "retire")
                            : Uni.createFrom().voidItem())
                    .replaceWith(to.bucketNo());
        });
    }

    /**
     * Ends when a bucket had so many units at some moment, or all together had fewer; or when a gather that was underway for another request has ended. Ask again: others may have bought them.
     */
    public Uni<Void> gather(Layout layout, Quantity qty) {
        return once(
                gathering,
                layout.skuId(),
                () -> transfers
                        .finishOpen(layout.skuId())
                        .chain(() -> stocks(layout, layout.active()))
                        .chain(stocks -> all(gatherings(stocks, qty.value()), "gather")));
    }

    /** Empty if all together have fewer. */
    static List<Move> gatherings(List<Stock> stocks, long qty) {
        List<Stock> fullestFirst = stocks.stream()
                .sorted(Comparator.comparingLong(Stock::units).reversed())
                .toList();
        Stock target = fullestFirst.get(0);
        long missing = qty - target.units();
        List<Move> moves = new ArrayList<>();
        for (Stock donor : fullestFirst.subList(1, fullestFirst.size())) {
            long units = Math.min(missing, donor.units());
            if (units > 0) {
                moves.add(new Move(donor.bucket(), target.bucket(), units));
                missing -= units;
            }
        }
        return missing > 0 ? List.of() : moves;
    }

    /** As few moves as give every ACTIVE bucket its share, the remainder to the first ones, and leave none to the others. */
    static List<Move> plan(List<Stock> stocks) {
        List<Stock> active = stocks.stream().filter(Stock::active).toList();
        long total = stocks.stream()
                .mapToLong(Stock::units)
                .filter(units -> units > 0)
                .sum();
        long each = total / active.size();
        long remainder = total % active.size();
        List<Stock> donors = new ArrayList<>();
        List<Stock> receivers = new ArrayList<>();
        for (Stock stock : stocks) {
            long share = stock.active() ? each + (active.indexOf(stock) < remainder ? 1 : 0) : 0;
            long surplus = Math.max(0, stock.units()) - share;
            (surplus > 0 ? donors : receivers).add(new Stock(stock.bucket(), stock.active(), Math.abs(surplus)));
        }
        donors.sort(Comparator.comparingLong(Stock::units).reversed());
        receivers.sort(Comparator.comparingLong(Stock::units).reversed());
        List<Move> moves = new ArrayList<>();
        int receiver = 0;
        long room = receivers.isEmpty() ? 0 : receivers.get(0).units();
        for (Stock donor : donors) {
            long left = donor.units();
            while (left > 0) {
                while (room == 0) {
                    receiver++;
                    room = receivers.get(receiver).units();
                }
                long units = Math.min(left, room);
                moves.add(new Move(donor.bucket(), receivers.get(receiver).bucket(), units));
                left -= units;
                room -= units;
            }
        }
        return moves;
    }

    private Uni<Void> all(List<Move> moves, String why) {
        return Multi.createFrom()
                .iterable(moves)
                .onItem()
                .transformToUniAndConcatenate(move -> transfers.move(move.from(), move.to(), move.units(), why))
                .collect()
                .last();
    }

    private Uni<List<Stock>> stocks(Layout layout, List<BucketId> buckets) {
        return Uni.join()
                .all(buckets.stream()
                        .map(bucket -> warmUp.inspect(bucket)
                                .map(seen -> new Stock(bucket, layout.active().contains(bucket), seen.stock())))
                        .toList())
                .usingConcurrencyOf(AT_ONCE)
                .andFailFast();
    }

    /** Begun by the first who asks, and on its way from then on. */
    private static Uni<Void> once(Map<SkuId, Uni<Void>> underway, SkuId skuId, Supplier<Uni<Void>> work) {
        Uni<Void> begun = underway.computeIfAbsent(
                skuId,
                id -> Uni.createFrom()
                        .deferred(() -> work.get())
                        .onFailure()
                        .invoke(e -> LOG.warnf("units not moved sku=%s reason=%s", skuId, e.getMessage()))
                        .onTermination()
                        .invoke(() -> underway.remove(id))
                        .memoize()
                        .indefinitely());
        begun.subscribe().with(nothing -> {}, logged -> {});
        return begun;
    }
}
