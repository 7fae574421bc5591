package io.penstock.stock;

/** Who admits a SKU's deductions. */
public enum Strategy {
    /** The gate, in front of the ledger: for hot SKUs. */
    REDIS,
    /** One conditional UPDATE in the ledger. */
    DB_CONDITIONAL,
    /** SELECT … FOR UPDATE in the ledger. */
    DB_PESSIMISTIC
}
