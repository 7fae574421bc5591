package io.penstock.ledger;

import io.penstock.stock.SkuId;

/** The ledger has no such SKU, or not this bucket of it. */
public final class UnknownSku extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownSku(SkuId skuId) {
        super("There is no SKU " + skuId + ".");
    }

    UnknownSku(SkuId skuId, int bucketNo) {
        super("There is no bucket " + bucketNo + " of SKU " + skuId + ".");
    }
}
