package io.penstock.gate;

import java.util.OptionalInt;

/**
 * What a bucket knows of one deduct key.
 *
 * @param loaded whether the bucket is loaded
 * @param qty the live deduction's quantity, if there is one
 * @param finished whether the key has a tombstone here
 * @param spilledTo the bucket that took the key, if a pointer says so
 */
public record HeldEntry(boolean loaded, OptionalInt qty, boolean finished, OptionalInt spilledTo) {}
