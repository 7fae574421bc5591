package io.penstock.model;

import io.penstock.model.Flow.Credit;
import io.penstock.model.Flow.Status;
import io.penstock.model.Part.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * MySQL. Every method is one transaction.
 *
 * @param flows by key
 * @param parts of the sale's one transfer or adjustment; empty if it has none
 * @param taken whether a negative adjustment has left the ledger
 * @param strays {@code stock_compensation}, kind STRAY: one bit for a key and a bucket, see {@link #stray}
 * @param untold {@code stock_outcome}: the keys whose last outcome Kafka may not have
 */
record Ledger(List<Flow> flows, List<LedgerBucket> buckets, List<Part> parts, boolean taken, int strays, int untold) {

    Flow flow(int key) {
        return flows.get(key);
    }

    LedgerBucket bucket(int bucket) {
        return buckets.get(bucket);
    }

    /** The keys that are sold in the bucket. */
    int sold(int bucket) {
        int sold = 0;
        for (int key = 0; key < flows.size(); key++) {
            sold |= flow(key).soldAt(bucket) ? Bucket.bit(key) : 0;
        }
        return sold;
    }

    /** The finished keys that the bucket must refuse. */
    int finished(int bucket) {
        int finished = 0;
        for (int key = 0; key < flows.size(); key++) {
            Flow flow = flow(key);
            boolean here = flow.status() == Status.CANCELLED || flow.bucket() == bucket;
            finished |= flow.finished() && here ? Bucket.bit(key) : 0;
        }
        return finished;
    }

    /** The transfers of the bucket that its units include and Redis may not have yet: ids with their units. */
    int included(int bucket) {
        int moves = 0;
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            if (part.step() == Step.MOVED && part.to() == bucket) {
                moves = new Move(i, false).record(moves, 1);
            } else if (part.step() == Step.MOVED && part.from() == bucket) {
                moves = new Move(i, false).record(moves, 1);
            } else if (part.step() == Step.BACK && part.from() == bucket) {
                moves = new Move(i, true).record(moves, part.units());
            }
        }
        return moves;
    }

    boolean openTransferOf(int bucket) {
        return parts.stream().anyMatch(part -> part.open() && part.touches(bucket));
    }

    /** 落库. The same message may come again: then the flow is there. */
    Ledger settle(Message message) {
        int key = message.key();
        int bucket = message.bucket();
        if (flow(key).exists()) {
            return this;
        }
        if (bucket(bucket).available() >= 1) {
            return withFlow(key, Flow.deducted(bucket))
                    .withBucket(bucket, bucket(bucket).take(1));
        }
        return withFlow(key, new Flow(Status.REJECTED, bucket, Credit.OWED));
    }

    /** 回滚. A finished flow stays as it is. */
    Ledger rollBack(int key, boolean cancel, Credit credit) {
        Flow flow = flow(key);
        return switch (flow.status()) {
            case NONE -> cancel ? withFlow(key, new Flow(Status.CANCELLED, -1, credit)) : this;
            case DEDUCTED ->
                withFlow(key, flow.with(Status.ROLLED_BACK, credit))
                        .withBucket(flow.bucket(), bucket(flow.bucket()).take(-1));
            case REJECTED, ROLLED_BACK, CANCELLED -> this;
        };
    }

    Ledger creditDone(int key) {
        Flow flow = flow(key);
        return flow.owes() ? withFlow(key, flow.with(flow.status(), Credit.DONE)) : this;
    }

    Ledger startPart(int part, int epoch) {
        return parts.get(part).step() == Step.NONE
                ? withPart(part, parts.get(part).at(Step.STARTED, 0, epoch))
                : this;
    }

    /** A positive adjustment: the units are the bucket's with this. */
    Ledger give(int part) {
        Part given = parts.get(part);
        return given.step() == Step.NONE
                ? withPart(part, given.at(Step.MOVED, 1, 0))
                        .withBucket(given.to(), bucket(given.to()).allot(1))
                : this;
    }

    /** Merge: both rows at once, only in the epoch of the withdrawal; otherwise the part is started again. */
    Ledger move(int part, int units, int epoch, boolean anyEpoch) {
        Part moving = parts.get(part);
        if (moving.step() != Step.STARTED) {
            return this;
        }
        LedgerBucket from = bucket(moving.from());
        if (from.epoch() != epoch && !anyEpoch) {
            return withPart(part, moving.at(Step.STARTED, 0, from.epoch()));
        }
        if (units == 0) {
            return withPart(part, moving.at(Step.DONE, 0, epoch));
        }
        if (from.available() < units) {
            return withPart(part, moving.at(Step.BACK, units, epoch));
        }
        return withPart(part, moving.at(Step.MOVED, units, epoch))
                .withBucket(moving.from(), from.allot(-units))
                .withBucket(moving.to(), bucket(moving.to()).allot(units));
    }

    /**
     * A negative adjustment, decided over all its parts: nothing moves while one of them is of another epoch; all of it leaves, or what was
     * withdrawn goes back.
     */
    Ledger take(List<Integer> units, List<Integer> epochs, boolean anyEpoch, boolean back) {
        if (parts.stream().anyMatch(part -> part.step() != Step.STARTED)) {
            return this;
        }
        Ledger again = this;
        boolean enough = true;
        for (int i = 0; i < parts.size(); i++) {
            LedgerBucket bucket = bucket(parts.get(i).from());
            if (bucket.epoch() != epochs.get(i) && !anyEpoch) {
                again = again.withPart(i, parts.get(i).at(Step.STARTED, 0, bucket.epoch()));
            }
            enough &= units.get(i) == 1 && bucket.available() >= 1;
        }
        if (again != this) {
            return again;
        }
        Ledger after = enough ? new Ledger(flows, buckets, parts, true, strays, untold) : this;
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            Step step = enough || units.get(i) == 0 || !back ? Step.DONE : Step.BACK;
            after = after.withPart(i, part.at(step, units.get(i), epochs.get(i)));
            if (enough) {
                after = after.withBucket(part.from(), bucket(part.from()).allot(-1));
            }
        }
        return after;
    }

    Ledger partDone(int part) {
        Part moved = parts.get(part);
        return moved.owedTo() >= 0 ? withPart(part, moved.at(Step.DONE, moved.units(), moved.epoch())) : this;
    }

    Ledger raiseEpoch(int bucket) {
        return withBucket(bucket, bucket(bucket).nextEpoch());
    }

    Ledger close(int bucket, boolean closed) {
        return withBucket(bucket, bucket(bucket).withClosed(closed));
    }

    static int stray(int key, int bucket) {
        return 1 << 2 * key + bucket;
    }

    boolean owesStray(int key, int bucket) {
        return (strays & stray(key, bucket)) != 0;
    }

    Ledger oweStray(int key, int bucket) {
        return new Ledger(flows, buckets, parts, taken, strays | stray(key, bucket), untold);
    }

    Ledger strayDone(int key, int bucket) {
        return new Ledger(flows, buckets, parts, taken, strays & ~stray(key, bucket), untold);
    }

    Ledger oweOutcome(int key) {
        return new Ledger(flows, buckets, parts, taken, strays, untold | Bucket.bit(key));
    }

    boolean owesOutcome(int key) {
        return (untold & Bucket.bit(key)) != 0;
    }

    Ledger told(int key) {
        return new Ledger(flows, buckets, parts, taken, strays, untold & ~Bucket.bit(key));
    }

    private Ledger withFlow(int key, Flow flow) {
        return new Ledger(put(flows, key, flow), buckets, parts, taken, strays, untold);
    }

    private Ledger withBucket(int bucket, LedgerBucket row) {
        return new Ledger(flows, put(buckets, bucket, row), parts, taken, strays, untold);
    }

    private Ledger withPart(int part, Part row) {
        return new Ledger(flows, buckets, put(parts, part, row), taken, strays, untold);
    }

    static <T> List<T> put(List<T> list, int index, T element) {
        List<T> changed = new ArrayList<>(list);
        changed.set(index, element);
        return List.copyOf(changed);
    }
}
