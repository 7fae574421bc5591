package io.penstock.ledger;

/** Giving these units would take a SKU above {@value #MOST}. Nothing was written, and the adjustment key is still unused. */
public final class TotalTooLarge extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Units a SKU may hold. */
    public static final long MOST = 1_000_000_000;

    TotalTooLarge() {
        super("A SKU holds at most " + MOST + " units.");
    }
}
