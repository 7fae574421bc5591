package io.penstock.ledger;

import io.penstock.ledger.FlowTable.FlowRow;
import io.penstock.stock.DeductCode;
import io.penstock.stock.DeductKey;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.Quantity;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A deduction of a SKU that needs no gate, which has the single bucket 0. The flow comes first: whoever inserts it owns the
 * key, and everybody else is answered from it.
 */
final class DeductTransaction {

    /** How the units are taken. */
    enum Taking {
        /** Only the UPDATE locks, and its guard decides. */
        CONDITIONAL("""
                SELECT sku.sale, sku_bucket.available
                  FROM sku JOIN sku_bucket ON sku_bucket.sku_id = sku.sku_id
                 WHERE sku.sku_id = ? AND sku_bucket.bucket_no = 0
                """),
        /** The row is locked by the read, so what it says holds. */
        PESSIMISTIC("""
                SELECT (SELECT sale FROM sku WHERE sku_id = sku_bucket.sku_id) AS sale, sku_bucket.available
                  FROM sku_bucket
                 WHERE sku_bucket.sku_id = ? AND sku_bucket.bucket_no = 0
                   FOR UPDATE
                """);

        /** Zero rows: there is no such SKU. */
        private final String look;

        Taking(String look) {
            this.look = look;
        }
    }

    private static final String AVAILABLE = "SELECT available FROM sku_bucket WHERE sku_id = ? AND bucket_no = 0";

    private final Taking taking;
    private final FlowId id;
    private final Quantity qty;
    private final String traceId;
    private final long batchId = FlowTable.newBatchId();

    private DeductTransaction(Taking taking, FlowId id, Quantity qty, String traceId) {
        this.taking = taking;
        this.id = id;
        this.qty = qty;
        this.traceId = traceId;
    }

    static Uni<LedgerDeduction> deduct(
            Transactions transactions, Taking taking, SkuId skuId, DeductKey deductKey, Quantity qty, String traceId) {
        DeductTransaction deduct = new DeductTransaction(taking, new FlowId(skuId, deductKey), qty, traceId);
        return transactions.run(deduct::insertTheFlow);
    }

    private Uni<Ending<LedgerDeduction>> insertTheFlow(Transaction transaction) {
        return Uni.combine()
                .all()
                .unis(FlowTable.insertDeducted(transaction, flowJson(), batchId), FlowTable.read(transaction, id))
                .collectFailures()
                .asTuple()
                .flatMap(done -> {
                    Flow flow = done.getItem2().map(FlowRow::flow).orElseThrow();
                    return done.getItem1() == 1
                            ? look(transaction, flow)
                            : Uni.createFrom().item(Ending.undo(known(flow)));
                });
    }

    private LedgerDeduction known(Flow flow) {
        DeductCode code = DeductCode.FINISHED;
        if (flow.status() == FlowStatus.DEDUCTED) {
            code = flow.qty() == qty.value() ? DeductCode.DUPLICATE : DeductCode.KEY_REUSED;
        }
        return new LedgerDeduction(code, flow, 0, OutcomeLedger.NONE);
    }

    private Uni<Ending<LedgerDeduction>> look(Transaction transaction, Flow flow) {
        return transaction.execute(taking.look, id.skuId().value()).flatMap(rows -> {
            if (rows.size() == 0) {
                return Uni.createFrom().item(Ending.refuse(new UnknownSku(id.skuId())));
            }
            Row row = rows.iterator().next();
            if (SaleState.valueOf(row.getString("sale")) == SaleState.PAUSED) {
                return Uni.createFrom()
                        .item(Ending.undo(new LedgerDeduction(DeductCode.CLOSED, null, 0, OutcomeLedger.NONE)));
            }
            long available = row.getLong("available");
            return available < qty.value() ? Uni.createFrom().item(tooFew(available)) : take(transaction, flow);
        });
    }

    private Uni<Ending<LedgerDeduction>> take(Transaction transaction, Flow flow) {
        SortedMap<BucketRef, Long> units = new TreeMap<>();
        units.put(new BucketRef(id.skuId(), 0), (long) qty.value());
        return Uni.combine()
                .all()
                .unis(
                        Journal.append(transaction, line(flow)),
                        OutcomeLedger.owe(transaction, List.of(flow)),
                        // Last, since the hot row is what others wait for.
                        BucketTable.take(transaction, units),
                        transaction.execute(AVAILABLE, id.skuId().value()))
                .collectFailures()
                .asTuple()
                .map(done -> {
                    RowSet<Row> left = done.getItem4();
                    long available = left.iterator().next().getLong("available");
                    if (done.getItem3() == 0) {
                        return tooFew(available);
                    }
                    DeductCode code = available == 0 ? DeductCode.DEDUCTED_LAST : DeductCode.DEDUCTED;
                    return Ending.keep(new LedgerDeduction(code, flow, available, done.getItem2()));
                });
    }

    private static Ending<LedgerDeduction> tooFew(long available) {
        return Ending.undo(new LedgerDeduction(DeductCode.INSUFFICIENT, null, available, OutcomeLedger.NONE));
    }

    private String flowJson() {
        JsonObject row = Given.flow(id).put("bucket", 0).put("qty", qty.value());
        return Given.rows(List.of(traceId == null ? row : row.put("trace", Given.text(traceId, 128))), one -> one);
    }

    private Journal.Line line(Flow flow) {
        return new Journal.Line(
                flow.skuId(), flow.bucketNo(), flow.deductKey(), flow.status().name(), "http", null, 0, flow.qty());
    }
}
