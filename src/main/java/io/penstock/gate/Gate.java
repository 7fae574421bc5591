package io.penstock.gate;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.ZModem;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The operations of one bucket in Redis. Each is one atomic script, is idempotent, and fails with {@link GateUnavailable}
 * when Redis does not answer in time or answers an error; then whether it ran is unknown. Fails with {@link GateOverloaded},
 * without having been sent, while too many calls are unanswered.
 *
 * <p>A bucket is loaded if it has both its stock key and its book. One without the other is a leftover: nothing is sold
 * from it, and a load replaces it.
 *
 * <p>May be called from any thread; a result arrives on the caller's event loop if it has one.
 */
@ApplicationScoped
public class Gate {

    private static final Pattern TRANSFER_ID = Pattern.compile("(?=[^/]*/)[A-Za-z0-9_.:/-]{1,128}");
    private static final long OTHER_EPOCH = -3;

    /** Keys that one {@link #remove} takes. */
    public static final int MOST_REMOVED = Script.MAX_BATCH;

    private final Lanes lanes;

    Gate(Lanes lanes) {
        this.lanes = lanes;
    }

    /** 扣减. Calls for the same bucket that arrive while its previous call is in flight travel together in the next one. */
    public Uni<DeductAnswer> deduct(BucketId bucket, DeductKey key, Quantity qty) {
        return lanes.deduct(bucket, key, qty);
    }

    /** Notes at a key's home that another bucket took it. */
    public Uni<Void> spill(BucketId home, DeductKey key, int takenBy) {
        if (takenBy == home.bucketNo()) {
            throw new IllegalArgumentException("a spill pointer names another bucket");
        }
        return lanes.call(Script.SPILL, home, List.of(key.value(), bucketNo(home, takenBy)))
                .replaceWithVoid();
    }

    /**
     * 回补: removes each key's entry, gives its units back and leaves a tombstone. One answer a key, in order. Up to 256 keys are
     * one script call; more are several, one after the other, so a failure leaves some of them restored.
     */
    public Uni<List<RestoreAnswer>> restore(BucketId bucket, List<DeductKey> keys) {
        return restore(bucket, "", keys);
    }

    /** Restores an entry whose key is sold in another bucket: a spill pointer to that one takes the tombstone's place. */
    public Uni<RestoreAnswer> restoreStray(BucketId bucket, DeductKey key, int soldAt) {
        if (soldAt == bucket.bucketNo()) {
            throw new IllegalArgumentException("a stray is sold in another bucket");
        }
        return restore(bucket, bucketNo(bucket, soldAt), List.of(key)).map(answers -> answers.get(0));
    }

    /**
     * For a rolled-back flow that the bucket does not know: gives the units only if entries are missing.
     * {@code RESTORED}: given. {@code RESTORED_BEFORE}: nothing was owed. Leaves the tombstone either way.
     */
    public Uni<RestoreAnswer> repay(BucketId bucket, DeductKey key, Quantity qty) {
        return lanes.call(Script.REPAY, bucket, List.of(key.value(), qty.toString()))
                .map(Gate::restoreAnswer);
    }

    /**
     * 空回滚: forbids a key that the ledger has never seen, and gives back what the bucket holds for it.
     *
     * @return the units given back now, 0 if the bucket held none, or {@link RestoreAnswer#NOT_LOADED}
     */
    public Uni<Entombed> entomb(BucketId bucket, DeductKey key) {
        return lanes.call(Script.ENTOMB, bucket, List.of(key.value()))
                .map(reply ->
                        new Entombed(restoreAnswer(reply.get(0)), reply.get(1).toInteger()));
    }

    /**
     * Makes the entry of a sold flow what the ledger says. Never touches a tombstoned key. A bucket that is not loaded loses the claim of its load, which may have read
     * the ledger before this flow: that load must begin again.
     */
    public Uni<RestoreAnswer> adopt(BucketId bucket, DeductKey key, Quantity qty) {
        return lanes.call(Script.ADOPT, bucket, List.of(key.value(), qty.toString()))
                .map(Gate::restoreAnswer);
    }

    /** Puts the book and the stock right, only if nothing moved since {@code seen}. */
    public Uni<Recounted> recount(BucketId bucket, Inspection seen, long ledgerAllotment) {
        if (!seen.loaded()) {
            return Uni.createFrom().item(new Recounted.Moved());
        }
        List<String> args = Stream.of(
                        seen.epoch(),
                        seen.stock(),
                        seen.allotment(),
                        seen.deducted(),
                        seen.count(),
                        seen.entries(),
                        ledgerAllotment)
                .map(String::valueOf)
                .toList();
        return lanes.call(Script.RECOUNT, bucket, args)
                .map(reply ->
                        yes(reply.get(0)) ? new Recounted.Corrected(reply.get(1).toLong()) : new Recounted.Moved());
    }

    /** Claims a bucket without a stock key for an epoch; replaces any claim of a lower one. */
    public Uni<Claim> begin(BucketId bucket, long epoch) {
        return lanes.call(Script.BEGIN, bucket, List.of(String.valueOf(epoch))).map(Gate::claim);
    }

    /** Adds a page of sold entries, of any length, to a load; {@code REFUSED} if the claim no longer stands. */
    public Uni<Claim> stage(BucketId bucket, long epoch, Map<DeductKey, Quantity> page) {
        List<List<String>> calls = new ArrayList<>();
        for (List<Map.Entry<DeductKey, Quantity>> part : parts(List.copyOf(page.entrySet()))) {
            List<String> args = new ArrayList<>(List.of(String.valueOf(epoch)));
            for (Map.Entry<DeductKey, Quantity> entry : part) {
                args.add(entry.getKey().value());
                args.add(entry.getValue().toString());
            }
            calls.add(args);
        }
        return claimAll(Script.STAGE, bucket, calls);
    }

    /** Adds a page of finished keys to the tombstones of a bucket that is being loaded. */
    public Uni<Claim> stageFinished(BucketId bucket, long epoch, List<DeductKey> page) {
        List<List<String>> calls = new ArrayList<>();
        for (List<DeductKey> part : parts(page)) {
            List<String> args = new ArrayList<>(List.of(String.valueOf(epoch)));
            part.forEach(key -> args.add(key.value()));
            calls.add(args);
        }
        return claimAll(Script.STAGE_FINISHED, bucket, calls);
    }

    /** Puts a load in place, if its claim still stands and the staged entries are as many, and as many units, as it says. */
    public Uni<Claim> finish(BucketId bucket, long epoch, LoadedUnits units) {
        List<String> args = new ArrayList<>(List.of(
                String.valueOf(epoch),
                String.valueOf(units.allotment()),
                String.valueOf(units.deducted()),
                String.valueOf(units.count()),
                units.closed() ? "1" : "0"));
        units.transfers().forEach((id, moved) -> {
            args.add(transferId(id));
            args.add(String.valueOf(moved));
        });
        return lanes.call(Script.FINISH, bucket, args).map(Gate::claim);
    }

    /**
     * Takes up to {@code atMost} units out of a bucket for a transfer, once, in one epoch.
     *
     * @param transferId with a slash, such as {@code 17/out}; 1–128 of {@code A-Z a-z 0-9 _ . : / -}. An id is used in one
     *     direction only
     */
    public Uni<Moved> withdraw(BucketId bucket, String transferId, long atMost, long epoch) {
        return move(Script.WITHDRAW, bucket, transferId, atMost, epoch);
    }

    /** Puts a transfer's units into a bucket, once, in one epoch. The id is as in {@link #withdraw}. */
    public Uni<Moved> deposit(BucketId bucket, String transferId, long units, long epoch) {
        return move(Script.DEPOSIT, bucket, transferId, units, epoch);
    }

    /** Closes a bucket to new keys; known ones are still answered and rolled back. Nothing happens if it is not loaded. */
    public Uni<Void> close(BucketId bucket) {
        return lanes.call(Script.CLOSE, bucket, List.of()).replaceWithVoid();
    }

    /** Opens it again. */
    public Uni<Void> open(BucketId bucket) {
        return lanes.call(Script.OPEN, bucket, List.of()).replaceWithVoid();
    }

    /** The bucket at one instant. */
    public Uni<Inspection> inspect(BucketId bucket) {
        return lanes.call(Script.INSPECT, bucket, List.of())
                .map(reply -> new Inspection(
                        yes(reply.get(0)),
                        reply.get(1).toLong(),
                        reply.get(2).toLong(),
                        reply.get(3).toLong(),
                        reply.get(4).toLong(),
                        reply.get(5).toLong(),
                        reply.get(6).toLong(),
                        yes(reply.get(7)),
                        reply.get(8).toLong()));
    }

    /** What the bucket knows of a key. */
    public Uni<HeldEntry> find(BucketId bucket, DeductKey key) {
        return lanes.call(Script.FIND, bucket, List.of(key.value()))
                .map(reply -> new HeldEntry(
                        yes(reply.get(0)),
                        present(reply.get(1).toInteger(), 1),
                        yes(reply.get(2)),
                        present(reply.get(3).toInteger(), 0)));
    }

    /** A page of the history; {@link HistoryPage#FIRST} for the first. An entry that is there from the first page to the last comes at least once. */
    public Uni<HistoryPage> scan(BucketId bucket, String cursor) {
        return lanes.call(Script.SCAN, bucket, List.of(cursor)).map(reply -> {
            Map<String, String> entries = new LinkedHashMap<>();
            for (int i = 1; i < reply.size(); i += 2) {
                entries.put(reply.get(i).toString(), reply.get(i + 1).toString());
            }
            return new HistoryPage(reply.get(0).toString(), entries);
        });
    }

    /** The entries that some keys, of any number, have in the history, as Redis has them; keys without one are absent. */
    public Uni<Map<String, String>> held(BucketId bucket, Collection<String> keys) {
        List<String> all = List.copyOf(keys);
        return inTurn(Script.HELD, bucket, parts(all)).map(replies -> {
            Map<String, String> held = new LinkedHashMap<>();
            int i = 0;
            for (Response reply : replies) {
                for (Response entry : reply) {
                    if (!entry.toString().isEmpty()) {
                        held.put(all.get(i), entry.toString());
                    }
                    i++;
                }
            }
            return held;
        });
    }

    /**
     * Takes entries that no script wrote out of the history, without adding units, only if nothing moved since {@code seen}: all of them if the history then
     * fits the book exactly, else those that cannot be a deduction's.
     *
     * @param unknown all keys of the history that the ledger does not know, 1 to {@link #MOST_REMOVED}
     * @return how many were removed
     */
    public Uni<Integer> remove(BucketId bucket, Inspection seen, Collection<String> unknown) {
        List<String> args = new ArrayList<>(Stream.of(seen.epoch(), seen.deducted(), seen.count(), seen.entries())
                .map(String::valueOf)
                .toList());
        args.addAll(unknown);
        return lanes.call(Script.REMOVE, bucket, args).map(Response::toInteger);
    }

    /** A page of what is older than {@code age} on the Redis clock; {@link HistoryPage#FIRST} for the first. */
    public Uni<OldPage> old(BucketId bucket, Remembered what, Duration age, String cursor) {
        return lanes.call(Script.OLD, bucket, List.of(what.script(), String.valueOf(age.toMillis()), cursor))
                .map(reply -> new OldPage(
                        reply.get(0).toString(),
                        reply.stream().skip(1).map(Response::toString).toList()));
    }

    /** Forgets those of the names, of any number, that are older than {@code age} on the Redis clock. Answers how many. */
    public Uni<Integer> forget(BucketId bucket, Remembered what, Duration age, List<String> names) {
        List<List<String>> calls = new ArrayList<>();
        for (List<String> part : parts(names)) {
            List<String> args = new ArrayList<>(List.of(what.script(), String.valueOf(age.toMillis())));
            args.addAll(part);
            calls.add(args);
        }
        return inTurn(Script.FORGET, bucket, calls)
                .map(replies -> replies.stream().mapToInt(Response::toInteger).sum());
    }

    /** One answer a key, in order; more keys than fit one call are restored in several, one after the other. */
    private Uni<List<RestoreAnswer>> restore(BucketId bucket, String soldAt, List<DeductKey> keys) {
        List<List<String>> calls = new ArrayList<>();
        for (List<DeductKey> part : parts(keys)) {
            List<String> args = new ArrayList<>(List.of(soldAt));
            part.forEach(key -> args.add(key.value()));
            calls.add(args);
        }
        return inTurn(Script.RESTORE, bucket, calls)
                .map(replies -> replies.stream()
                        .flatMap(reply -> reply.stream().map(Gate::restoreAnswer))
                        .toList());
    }

    /** Taken if every call was. */
    private Uni<Claim> claimAll(Script script, BucketId bucket, List<List<String>> calls) {
        return inTurn(script, bucket, calls)
                .map(replies -> replies.stream().allMatch(Gate::yes) ? Claim.TAKEN : Claim.REFUSED);
    }

    private Uni<List<Response>> inTurn(Script script, BucketId bucket, List<List<String>> calls) {
        if (calls.size() == 1) {
            return lanes.call(script, bucket, calls.get(0)).map(List::of);
        }
        return Multi.createFrom()
                .iterable(calls)
                .onItem()
                .transformToUniAndConcatenate(args -> lanes.call(script, bucket, args))
                .collect()
                .asList();
    }

    private Uni<Moved> move(Script script, BucketId bucket, String transferId, long units, long epoch) {
        if (units < 0) {
            throw new IllegalArgumentException("units to move are 0 or more");
        }
        return lanes.call(script, bucket, List.of(transferId(transferId), String.valueOf(units), String.valueOf(epoch)))
                .map(Response::toLong)
                .map(moved -> moved == OTHER_EPOCH ? new Moved.OtherEpoch() : new Moved.Units(moved));
    }

    private static <T> List<List<T>> parts(List<T> all) {
        List<List<T>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += Script.MAX_BATCH) {
            parts.add(all.subList(from, Math.min(all.size(), from + Script.MAX_BATCH)));
        }
        return parts;
    }

    /** The slash keeps transfer ids apart from the fields of the book they share a hash with. */
    private static String transferId(String id) {
        if (!TRANSFER_ID.matcher(id).matches()) {
            throw new IllegalArgumentException("a transfer id has a slash, and 1 to 128 of A-Z a-z 0-9 _ . : / -");
        }
        return id;
    }

    /** Checked by the rule for bucket numbers. */
    private static String bucketNo(BucketId sibling, int bucketNo) {
        return String.valueOf(new BucketId(sibling.skuId(), sibling.skuCode(), bucketNo).bucketNo());
    }

    private static RestoreAnswer restoreAnswer(Response reply) {
        return RestoreAnswer.of(reply.toInteger());
    }

    private static Claim claim(Response reply) {
        return yes(reply) ? Claim.TAKEN : Claim.REFUSED;
    }

    private static boolean yes(Response reply) {
        return reply.toInteger() == 1;
    }

    private static OptionalInt present(int value, int least) {
        return value >= least ? OptionalInt.of(value) : OptionalInt.empty();
    }

    /** The Redis Cluster slot of the bucket's keys, 0 … 16383; the same without a cluster. */
    public int slot(BucketId bucket) {
        return ZModem.generate(bucket.tag());
    }

    /**
     * What operators should mend, a sentence each: a {@code maxmemory-policy} other than {@code noeviction}. Empty if all is well; a Redis that keeps its
     * settings to itself says so.
     */
    public Uni<List<String>> weaknesses() {
        return lanes.setting("maxmemory-policy").map(policy -> switch (policy) {
            case "noeviction" -> List.of();
            case "" -> List.of("maxmemory-policy cannot be read; it must be noeviction");
            default ->
                List.of("maxmemory-policy is " + policy
                        + "; anything but noeviction loses stock under memory pressure");
        });
    }
}
