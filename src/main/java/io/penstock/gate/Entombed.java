package io.penstock.gate;

/**
 * How a cancellation without a deduction ended in one bucket.
 *
 * @param answer {@code RESTORED}: the tombstone is new; {@code RESTORED_BEFORE}: it stood before; or {@code NOT_LOADED}
 * @param qty units given back now, 0 if the bucket held none
 */
public record Entombed(RestoreAnswer answer, int qty) {}
