package io.penstock.model;

import static io.penstock.model.Bucket.bit;

/** The Lua scripts, named as they are. Each is one atomic step on one bucket. */
final class Scripts {

    static final int DEDUCTED = 3;
    static final int INSUFFICIENT = 1;
    static final int DUPLICATE = 0;
    static final int NOT_LOADED = -1;
    static final int FINISHED = 5;
    static final int SPILLED = 6;
    static final int CLOSED = 7;

    private final Safeguard without;

    /** @param without the safeguard that is taken away, null if none is */
    Scripts(Safeguard without) {
        this.without = without;
    }

    /** @param code of {@code deduct}, or the answers 1, 0, -1, -2 of the others; units for a move, -3 in another epoch */
    record Answer(int code, Bucket bucket) {}

    Answer deduct(Bucket b, int key) {
        if (!b.loaded()) {
            return new Answer(NOT_LOADED, b);
        }
        if (b.buried(key)) {
            return new Answer(FINISHED, b);
        }
        if (b.holds(key) && has(Safeguard.DEDUCT_IS_IDEMPOTENT)) {
            return new Answer(DUPLICATE, b);
        }
        if (b.pointer(key) >= 0) {
            return new Answer(SPILLED, b);
        }
        if (b.closed()) {
            return new Answer(CLOSED, b);
        }
        if (b.stock() < 1) {
            return new Answer(INSUFFICIENT, b);
        }
        return new Answer(DEDUCTED, b.withUnits(b.stock() - 1, b.history() | bit(key), b.count() + 1));
    }

    Answer restore(Bucket b, int key) {
        if (!b.loaded()) {
            return new Answer(-2, b);
        }
        if (b.holds(key)) {
            return new Answer(1, bury(giveBack(b, key), key));
        }
        return new Answer(b.buried(key) ? 0 : -1, b);
    }

    /** As {@code restore}, but the key is alive in another bucket. */
    Answer restoreStray(Bucket b, int key, int soldAt) {
        if (!has(Safeguard.STRAY_LEAVES_A_POINTER)) {
            return restore(b, key);
        }
        if (!b.loaded()) {
            return new Answer(-2, b);
        }
        if (b.holds(key)) {
            return new Answer(1, giveBack(b, key).withPointer(key, soldAt));
        }
        return new Answer(b.buried(key) || b.pointer(key) >= 0 ? 0 : -1, b);
    }

    Answer repay(Bucket b, int key) {
        if (!b.loaded()) {
            return new Answer(-2, b);
        }
        if (b.holds(key)) {
            return new Answer(1, bury(giveBack(b, key), key));
        }
        if (b.buried(key)) {
            return new Answer(0, b);
        }
        boolean missing = b.entries() < b.count() || !has(Safeguard.REPAY_ONLY_WHAT_IS_MISSING);
        return missing
                ? new Answer(1, bury(b.withUnits(b.stock() + 1, b.history(), b.count() - 1), key))
                : new Answer(0, bury(b, key));
    }

    Answer entomb(Bucket b, int key) {
        if (!b.loaded()) {
            return new Answer(-2, b);
        }
        return new Answer(1, bury(b.holds(key) ? giveBack(b, key) : b, key));
    }

    /** A load under way may have read the ledger before this flow was there: it loses its claim, and must begin again. */
    Bucket adopt(Bucket b, int key) {
        if (!b.loaded()) {
            return has(Safeguard.ADOPT_ENDS_A_CLAIM) ? b.unloaded(0) : b;
        }
        if (b.holds(key) || b.buried(key)) {
            return b;
        }
        return b.entries() < b.count()
                ? b.withUnits(b.stock(), b.history() | bit(key), b.count())
                : b.withUnits(b.stock() - 1, b.history() | bit(key), b.count() + 1);
    }

    Bucket recount(Bucket b, Seen seen, int allotment) {
        if (!b.loaded() || !Seen.of(b).equals(seen)) {
            if (has(Safeguard.RECOUNT_ONLY_UNMOVED) || !b.loaded()) {
                return b;
            }
            // Written from what was seen, as a recount that is no script would.
            return new Bucket(
                    true,
                    allotment - seen.entries(),
                    b.history(),
                    seen.entries(),
                    allotment,
                    b.epoch(),
                    b.closed(),
                    b.moves(),
                    b.tombstones(),
                    b.spills(),
                    b.claim());
        }
        return b.withRecounted(allotment);
    }

    /** Removes entries that no script wrote, without their units, if book and HLEN are still what was seen. */
    Bucket remove(Bucket b, int keys, Seen seen) {
        if (!b.loaded() || (!Seen.of(b).equals(seen) && has(Safeguard.ORPHANS_REMOVED_ONLY_UNMOVED))) {
            return b;
        }
        return b.withUnits(b.stock(), b.history() & ~keys, b.count());
    }

    /** 1 is a claim; a loaded bucket only takes on the epoch. */
    Answer begin(Bucket b, int epoch) {
        if (b.loaded()) {
            boolean takesOn = b.epoch() < epoch && has(Safeguard.LOADED_BUCKET_TAKES_ON_THE_EPOCH);
            return new Answer(0, takesOn ? b.withEpoch(epoch) : b);
        }
        return b.claim() > epoch ? new Answer(0, b) : new Answer(1, b.unloaded(epoch));
    }

    /** Stages and puts in place, if this load's claim still stands. */
    Answer finish(Bucket b, Action.Finish load) {
        if (b.loaded() || (b.claim() != load.epoch() && has(Safeguard.LOAD_FINISHES_ITS_CLAIM))) {
            return new Answer(0, b);
        }
        int count = Integer.bitCount(load.sold());
        return new Answer(
                1,
                new Bucket(
                        true,
                        load.allotted() - count,
                        load.sold(),
                        count,
                        load.allotted(),
                        load.epoch(),
                        load.closed(),
                        load.moves(),
                        b.tombstones() | load.finished(),
                        b.spills(),
                        0));
    }

    Answer withdraw(Bucket b, Move id, int epoch) {
        if (otherEpoch(b, epoch)) {
            return new Answer(-3, b);
        }
        int recorded = id.recorded(b.moves());
        if (recorded >= 0 && has(Safeguard.MOVE_ONCE)) {
            return new Answer(recorded, b);
        }
        int units = Math.min(1, Math.max(b.stock(), 0));
        return new Answer(units, b.withMoved(-units, id.record(b.moves(), units)));
    }

    Answer deposit(Bucket b, Move id, int units, int epoch) {
        if (otherEpoch(b, epoch)) {
            return new Answer(-3, b);
        }
        int recorded = id.recorded(b.moves());
        if (recorded >= 0 && has(Safeguard.MOVE_ONCE)) {
            return new Answer(recorded, b);
        }
        return new Answer(units, b.withMoved(units, id.record(b.moves(), units)));
    }

    Bucket close(Bucket b, boolean closed) {
        return b.loaded() ? b.withClosed(closed) : b;
    }

    private boolean otherEpoch(Bucket b, int epoch) {
        return !b.loaded() || (b.epoch() != epoch && has(Safeguard.MOVE_IN_ITS_EPOCH));
    }

    private Bucket bury(Bucket b, int key) {
        return has(Safeguard.TOMBSTONES) ? b.withTombstones(b.tombstones() | bit(key)) : b;
    }

    private static Bucket giveBack(Bucket b, int key) {
        return b.withUnits(b.stock() + 1, b.history() & ~bit(key), b.count() - 1);
    }

    private boolean has(Safeguard safeguard) {
        return without != safeguard;
    }
}
