package io.penstock.gate;

import java.util.Locale;

/** What a bucket remembers to serve retries, each with its time on the Redis clock. */
public enum Remembered {
    /** Finished deduct keys. */
    TOMBSTONE,
    /** Deduct keys that another bucket took. */
    SPILL,
    /** Ids of transfers into and out of the bucket. */
    TRANSFER;

    String script() {
        return name().toLowerCase(Locale.ROOT);
    }
}
