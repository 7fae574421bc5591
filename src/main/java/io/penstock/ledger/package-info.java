/**
 * The ledger (最终账本): the MySQL side of the stock, which is the authority. The only package that speaks SQL.
 *
 * <p>Entry points: {@link io.penstock.ledger.SkuLedger} (definitions and buckets), {@link io.penstock.ledger.FlowLedger}
 * (扣减流水), {@link io.penstock.ledger.AdjustmentLedger}, {@link io.penstock.ledger.OutcomeLedger}.
 *
 * <p>Invariant: {@code available = allotted - sum of the bucket's DEDUCTED flows}, and never below 0; each is kept by the
 * transaction that writes the flow. Inside, {@link io.penstock.ledger.Transactions} is the only way to a connection. READ COMMITTED; inserts first; flows sorted by (sku_id, deduct_key), then buckets sorted.
 */
package io.penstock.ledger;
