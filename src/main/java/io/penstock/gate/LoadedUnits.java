package io.penstock.gate;

import java.util.Map;

/**
 * What the ledger says of a bucket that is about to be put in place.
 *
 * @param allotment units the bucket has been given
 * @param deducted sum of the staged entries
 * @param count number of the staged entries
 * @param closed whether it refuses new keys
 * @param transfers ids of the open transfers whose effect the allotment already includes, with their units (negative for a withdrawal)
 */
public record LoadedUnits(long allotment, long deducted, long count, boolean closed, Map<String, Long> transfers) {}
