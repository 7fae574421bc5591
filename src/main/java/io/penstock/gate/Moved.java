package io.penstock.gate;

/** How a withdrawal from, or a deposit into, a bucket ended. */
public sealed interface Moved {

    /**
     * The transfer's step is done in this bucket, now or before.
     *
     * @param units moved by it, 0 or more; repeated calls answer the same
     */
    record Units(long units) implements Moved {}

    /** The bucket was loaded again since, or is not loaded: nothing was moved. */
    record OtherEpoch() implements Moved {}
}
