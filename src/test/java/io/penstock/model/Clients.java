package io.penstock.model;

/**
 * What clients did and were told: sets of keys, as bits.
 *
 * @param accepted told that the deduction is accepted
 * @param cancelled asked for a rollback, and somebody took it
 * @param returned told that the rollback is done
 * @param told the keys whose last outcome came
 * @param lied told something that was not so
 * @param paused the buckets whose pause was answered
 * @param lost units that Redis had sold and, after it lost data, sells again
 */
record Clients(int accepted, int cancelled, int returned, int told, int lied, int paused, int lost) {

    static final Clients NEW = new Clients(0, 0, 0, 0, 0, 0, 0);

    Clients accepted(int key) {
        return new Clients(accepted | Bucket.bit(key), cancelled, returned, told, lied, paused, lost);
    }

    Clients cancelled(int key) {
        return new Clients(accepted, cancelled | Bucket.bit(key), returned, told, lied, paused, lost);
    }

    Clients returned(int key) {
        return new Clients(accepted, cancelled, returned | Bucket.bit(key), told, lied, paused, lost);
    }

    Clients lied(int key) {
        return new Clients(accepted, cancelled, returned, told, lied | Bucket.bit(key), paused, lost);
    }

    Clients paused(int bucket, boolean closed) {
        int now = closed ? paused | Bucket.bit(bucket) : paused & ~Bucket.bit(bucket);
        return new Clients(accepted, cancelled, returned, told, lied, now, lost);
    }

    Clients lost(int units) {
        return new Clients(accepted, cancelled, returned, told, lied, paused, lost + units);
    }

    Clients told(int key, boolean told) {
        int now = told ? this.told | Bucket.bit(key) : this.told & ~Bucket.bit(key);
        return new Clients(accepted, cancelled, returned, now, lied, paused, lost);
    }

    boolean isTold(int key) {
        return (told & Bucket.bit(key)) != 0;
    }

    /** Accepted, and nobody asked for it back. */
    boolean keeps(int key) {
        return (accepted & ~cancelled & Bucket.bit(key)) != 0;
    }

    boolean isReturned(int key) {
        return (returned & Bucket.bit(key)) != 0;
    }

    boolean isCancelled(int key) {
        return (cancelled & Bucket.bit(key)) != 0;
    }
}
