package io.penstock.stock;

/** 回补: whether the ledger owes Redis units, or tombstones, for a flow. */
public enum Credit {
    NONE,
    OWED,
    DONE
}
