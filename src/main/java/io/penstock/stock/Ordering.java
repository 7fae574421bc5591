package io.penstock.stock;

/** How a SKU's deductions and rollbacks travel through Kafka. */
public enum Ordering {
    /** Apart; an early rollback meets a CANCELLED flow and tombstones. */
    SPLIT,
    /** Together, keyed by deduct key: a rollback is consumed after every deduction sent before it. */
    ORDERED
}
