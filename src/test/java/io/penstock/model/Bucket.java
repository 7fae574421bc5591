package io.penstock.model;

/**
 * One bucket in Redis. Sets of keys are bits, since every state holds some. Every deduction takes one unit, so {@code count} is
 * the book's {@code deducted} too.
 *
 * @param loaded both stock key and book are there; if not, only tombstones, pointers and claim mean anything
 * @param history the keys with a live entry
 * @param moves transfer ids in the book, see {@link Move}
 * @param tombstones the finished keys
 * @param spills the pointers: two bits a key, the bucket that took it plus one
 * @param claim the epoch of the load that claimed the bucket, 0 if none did
 */
record Bucket(
        boolean loaded,
        int stock,
        int history,
        int count,
        int allotment,
        int epoch,
        boolean closed,
        int moves,
        int tombstones,
        int spills,
        int claim) {

    static final Bucket EMPTY = new Bucket(false, 0, 0, 0, 0, 0, false, 0, 0, 0, 0);

    static Bucket loaded(int units, boolean closed) {
        return new Bucket(true, units, 0, 0, units, 1, closed, 0, 0, 0, 0);
    }

    boolean holds(int key) {
        return (history & bit(key)) != 0;
    }

    boolean buried(int key) {
        return (tombstones & bit(key)) != 0;
    }

    /** The number of entries, as HLEN counts them. */
    int entries() {
        return Integer.bitCount(history);
    }

    /** The bucket that took the key, -1 if there is no pointer. */
    int pointer(int key) {
        return (spills >> 2 * key & 3) - 1;
    }

    Bucket withUnits(int stock, int history, int count) {
        return new Bucket(loaded, stock, history, count, allotment, epoch, closed, moves, tombstones, spills, claim);
    }

    Bucket withMoved(int units, int moves) {
        return new Bucket(
                loaded,
                stock + units,
                history,
                count,
                allotment + units,
                epoch,
                closed,
                moves,
                tombstones,
                spills,
                claim);
    }

    Bucket withRecounted(int allotment) {
        return new Bucket(
                loaded,
                allotment - entries(),
                history,
                entries(),
                allotment,
                epoch,
                closed,
                moves,
                tombstones,
                spills,
                claim);
    }

    Bucket withTombstones(int tombstones) {
        return new Bucket(loaded, stock, history, count, allotment, epoch, closed, moves, tombstones, spills, claim);
    }

    Bucket withPointer(int key, int taker) {
        int others = spills & ~(3 << 2 * key);
        return new Bucket(
                loaded,
                stock,
                history,
                count,
                allotment,
                epoch,
                closed,
                moves,
                tombstones,
                others | taker + 1 << 2 * key,
                claim);
    }

    Bucket withEpoch(int epoch) {
        return new Bucket(loaded, stock, history, count, allotment, epoch, closed, moves, tombstones, spills, claim);
    }

    Bucket withClosed(boolean closed) {
        return new Bucket(loaded, stock, history, count, allotment, epoch, closed, moves, tombstones, spills, claim);
    }

    /** Neither stock nor book: what a load does not replace stays. */
    Bucket unloaded(int claim) {
        return new Bucket(false, 0, 0, 0, 0, 0, false, 0, tombstones, spills, claim);
    }

    static int bit(int key) {
        return 1 << key;
    }
}
