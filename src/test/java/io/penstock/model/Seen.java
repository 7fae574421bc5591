package io.penstock.model;

/** What {@code inspect} answers of a loaded bucket. */
record Seen(int epoch, int stock, int allotment, int count, int entries) {

    static Seen of(Bucket bucket) {
        return new Seen(bucket.epoch(), bucket.stock(), bucket.allotment(), bucket.count(), bucket.entries());
    }
}
