package io.penstock.model;

import java.util.ArrayList;
import java.util.List;

/**
 * An accepted deduction in Kafka.
 *
 * @param epoch of the bucket when it accepted
 */
record Message(int key, int bucket, int epoch) {

    private static final int EPOCHS = 8;
    private static final int BUCKETS = 2;

    /** SPLIT delivers what is in the topic in any order and any number of times, so the topic is a set: one bit a message. */
    long bit() {
        if (epoch >= EPOCHS) {
            throw new IllegalStateException("more epochs than the model has room for");
        }
        return 1L << (key * BUCKETS + bucket) * EPOCHS + epoch;
    }

    static List<Message> all(long messages) {
        List<Message> all = new ArrayList<>();
        for (long rest = messages; rest != 0; rest &= rest - 1) {
            int index = Long.numberOfTrailingZeros(rest);
            all.add(new Message(index / (BUCKETS * EPOCHS), index / EPOCHS % BUCKETS, index % EPOCHS));
        }
        return all;
    }

    static long ofBucket(long messages, int bucket) {
        long of = 0;
        for (Message message : all(messages)) {
            of |= message.bucket() == bucket ? message.bit() : 0;
        }
        return of;
    }
}
