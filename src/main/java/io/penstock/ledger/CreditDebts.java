package io.penstock.ledger;

import io.smallrye.mutiny.Uni;
import java.util.Collection;

/** The rows of kind CREDIT in {@code stock_compensation}: exactly one for each flow whose credit is OWED. */
final class CreditDebts {

    /** A row that exists already, from whomever, is this debt: it stays. */
    private static final String OWE = """
            INSERT INTO stock_compensation (sku_id, deduct_key, kind, bucket_no, qty)
            SELECT given.sku_id, given.deduct_key, 'CREDIT', COALESCE(given.bucket_no, -1), given.qty
              FROM %s
                ON DUPLICATE KEY UPDATE kind = stock_compensation.kind
            """.formatted(Given.FLOWS);

    /** Zero rows: paid before. */
    private static final String PAID = """
            DELETE stock_compensation
              FROM %s STRAIGHT_JOIN stock_compensation FORCE INDEX (PRIMARY)
                ON stock_compensation.sku_id = given.sku_id AND stock_compensation.deduct_key = given.deduct_key
             WHERE stock_compensation.kind = 'CREDIT'
            """.formatted(Given.FLOWS);

    private CreditDebts() {}

    /** @param flows sorted; those without a bucket owe their tombstones to every bucket */
    static Uni<Void> owe(Transaction transaction, Collection<Flow> flows) {
        if (flows.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        String given = Given.rows(
                flows,
                flow -> Given.flow(FlowId.of(flow))
                        .put("bucket", flow.bucketNo())
                        .put("qty", flow.qty()));
        return transaction.execute(OWE, given).replaceWithVoid();
    }

    static Uni<Void> paid(Transaction transaction, String flows) {
        return transaction.execute(PAID, flows).replaceWithVoid();
    }
}
