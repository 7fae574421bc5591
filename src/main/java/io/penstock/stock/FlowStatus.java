package io.penstock.stock;

/** Where a deduction stands in the ledger (扣减流水状态). */
public enum FlowStatus {
    /** Sold; counted against the bucket's available units. */
    DEDUCTED(1),
    /** The ledger had not enough: final. */
    REJECTED(1),
    /** Was DEDUCTED, given back: final. */
    ROLLED_BACK(2),
    /** The rollback came first (空回滚): final; forbids the deduction that may still arrive. */
    CANCELLED(2);

    private final int version;

    FlowStatus(int version) {
        this.version = version;
    }

    /** The version of the outcome event: a consumer ignores one not above the last it saw. */
    public int version() {
        return version;
    }
}
