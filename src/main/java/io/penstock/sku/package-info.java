/**
 * SKUs: define, view, adjust, warm up (预热).
 *
 * <p>Entry points: {@link io.penstock.sku.Skus}, and {@link io.penstock.sku.Layouts} for those who route.
 *
 * <p>Invariant: Redis is only ever loaded from the ledger, behind a fence, in an epoch that the ledger has raised first.
 */
package io.penstock.sku;
