package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;

/**
 * 补偿, as it is told to the ledger: a debt that is to be written down, or a CREDIT that is to be tried now.
 *
 * @param bucketNo of a STRAY, the bucket that holds it; else a hint, which is not kept
 * @param qty null where it is not known
 * @param cause why it is owed; null where nobody said
 */
public record Owed(Debt.Kind kind, SkuId skuId, DeductKey deductKey, Integer bucketNo, Integer qty, String cause) {

    public static Owed rollback(RollbackOrder order) {
        return new Owed(Debt.Kind.ROLLBACK, order.skuId(), order.deductKey(), null, null, order.reason());
    }

    static Owed stray(Stray stray) {
        return new Owed(Debt.Kind.STRAY, stray.skuId(), stray.deductKey(), stray.bucketNo(), stray.qty(), null);
    }
}
