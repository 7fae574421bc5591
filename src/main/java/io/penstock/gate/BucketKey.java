package io.penstock.gate;

import io.penstock.stock.BucketId;

/** The Redis keys of one bucket. Operators read these names; they are fixed. The hash tag keeps a bucket on one slot. */
enum BucketKey {
    /** String: units left. */
    STOCK("stock"),
    /** Hash: deduct key to qty, of the live deductions. */
    HISTORY("deduction_history"),
    /** Sorted set: finished deduct keys by the time they were finished. */
    TOMBSTONES("rollback_history"),
    /** Hash: allotment, deducted, count, epoch, closed, and transfer ids. */
    BOOK("book"),
    /** Hash: deduct key to the bucket that took it. */
    SPILLS("spills"),
    /** Hash: the claim of a load. */
    CLAIM("load"),
    /** Hash: the history of a load, until it is put in place. */
    STAGED("load_history");

    private final String suffix;

    BucketKey(String suffix) {
        this.suffix = suffix;
    }

    /** The name's end, which is also how the scripts' headers call the key. */
    String suffix() {
        return suffix;
    }

    String of(BucketId bucket) {
        return "hot_{" + bucket.tag() + "}_" + suffix;
    }
}
