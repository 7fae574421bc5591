package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.mysqlclient.MySQLClient;
import io.vertx.sqlclient.Row;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Outcomes owed to the order system: written by the transaction that made them, removed once Kafka has them. */
@ApplicationScoped
public class OutcomeLedger {

    /** What a transaction without outcomes answers for their id. */
    static final long NONE = 0;

    /** Always one row; its time is the outcomes' time. */
    private static final String OWE = "INSERT INTO stock_outcome (events) VALUES (?)";

    /** Zero rows: sent before. */
    private static final String SENT = "DELETE FROM stock_outcome WHERE id = ?";

    /** Ids ascend with time but for transactions that overlap, so the oldest come first without an index on the time. */
    private static final String OWED = """
            SELECT id, events, created_at
              FROM stock_outcome
             WHERE created_at <= CURRENT_TIMESTAMP(3) - INTERVAL ? MICROSECOND
             ORDER BY id
             LIMIT ?
            """;

    private final Transactions transactions;

    OutcomeLedger(Transactions transactions) {
        this.transactions = transactions;
    }

    /** Kafka has acknowledged all of them. Repeating it changes nothing. */
    public Uni<Void> sent(long outcomesId) {
        if (outcomesId == NONE) {
            return Uni.createFrom().voidItem();
        }
        return transactions.run(
                transaction -> transaction.execute(SENT, outcomesId).map(done -> Ending.keep(null)));
    }

    /** The oldest that have been owed for longer than {@code age} on the ledger's clock. */
    public Uni<List<OwedOutcomes>> owedFor(Duration age, int limit) {
        return transactions.read(transaction -> transaction
                .execute(OWED, age.toNanos() / 1_000, limit)
                .map(rows -> {
                    List<OwedOutcomes> owed = new ArrayList<>();
                    rows.forEach(row -> owed.add(owed(row)));
                    return owed;
                }));
    }

    /** Owes the outcomes of these flows, in the caller's transaction. Answers their id, or {@link #NONE}. */
    static Uni<Long> owe(Transaction transaction, Collection<Flow> flows) {
        if (flows.isEmpty()) {
            return Uni.createFrom().item(NONE);
        }
        String events = Given.rows(flows, OutcomeLedger::event);
        return transaction.execute(OWE, events).map(rows -> rows.property(MySQLClient.LAST_INSERTED_ID));
    }

    private static JsonObject event(Flow flow) {
        return Given.flow(FlowId.of(flow))
                .put("bucket", flow.bucketNo())
                .put("qty", flow.qty())
                .put("status", flow.status().name());
    }

    private static OwedOutcomes owed(Row row) {
        Instant at = FlowTable.instant(row, "created_at");
        List<Outcome> outcomes = new JsonArray(row.getString("events"))
                .stream()
                        .map(JsonObject.class::cast)
                        .map(event -> new Outcome(
                                new SkuId(event.getLong("sku")),
                                new DeductKey(event.getString("key")),
                                event.getInteger("bucket"),
                                event.getInteger("qty"),
                                FlowStatus.valueOf(event.getString("status")),
                                at))
                        .toList();
        return new OwedOutcomes(row.getLong("id"), outcomes);
    }
}
