package io.penstock.gate;

/** Whether a load's step was taken. */
public enum Claim {
    TAKEN,
    /** The bucket is loaded, or another load has claimed it. */
    REFUSED
}
