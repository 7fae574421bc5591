package io.penstock.gate;

import io.penstock.stock.DeductCode;

/**
 * What a bucket answered to one deduction.
 *
 * @param code what happened
 * @param epoch how often the bucket was loaded; 0 if it is not
 * @param stock units left in the bucket after the whole call; may be below 0 after lost data; 0 if it is not loaded
 * @param spilledTo the bucket that took the key, only with {@link DeductCode#SPILLED}, else -1
 * @param allotment units the bucket has been given; 0 if it is not loaded
 */
public record DeductAnswer(DeductCode code, long epoch, long stock, int spilledTo, long allotment) {}
