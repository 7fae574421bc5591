package io.penstock.stock;

/** Whether a SKU sells to new deduct keys. Known keys and rollbacks go on either way. */
public enum SaleState {
    OPEN,
    PAUSED
}
