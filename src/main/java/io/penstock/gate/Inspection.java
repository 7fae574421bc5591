package io.penstock.gate;

/**
 * One bucket at one instant of the Redis clock.
 *
 * @param loaded whether there is a stock key with a book; if not, every number but the clock is 0
 * @param stock units left; below 0 only after lost data
 * @param allotment units the bucket has been given
 * @param deducted the book's sum of the history
 * @param count the book's number of history entries
 * @param entries the history's length as Redis has it: {@code < count} means lost entries, {@code > count} foreign ones
 * @param epoch how often the bucket was loaded
 * @param closed whether it refuses new keys
 * @param atMillis the Redis clock; never compared with another clock
 */
public record Inspection(
        boolean loaded,
        long stock,
        long allotment,
        long deducted,
        long count,
        long entries,
        long epoch,
        boolean closed,
        long atMillis) {}
