package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What holds in the ledger after every transaction, whatever happened. Each query finds some of what breaks it, at one instant. */
@Dependent
public class LedgerInvariants {

    private static final Map<String, String> BROKEN = new LinkedHashMap<>();

    static {
        BROKEN.put("available = allotted - the sum of the bucket's DEDUCTED flows, and is never below 0", """
                SELECT CONCAT(b.sku_id, '/', b.bucket_no, ': ', b.available, ' of ', b.allotted)
                  FROM sku_bucket b
                 WHERE b.available < 0
                    OR b.available <> b.allotted - COALESCE(
                       (SELECT SUM(f.qty) FROM stock_deduct_flow f
                         WHERE f.sku_id = b.sku_id AND f.bucket_no = b.bucket_no AND f.status = 'DEDUCTED'), 0)
                """);
        BROKEN.put("units given and taken add up: the first total, and every adjustment that the ledger has", """
                SELECT CONCAT(s.sku_id, ': ', s.total)
                  FROM sku s
                 WHERE (SELECT SUM(b.allotted) FROM sku_bucket b WHERE b.sku_id = s.sku_id) <> s.total + COALESCE(
                       (SELECT SUM(a.delta) FROM stock_adjustment a
                         WHERE a.sku_id = s.sku_id AND (a.delta > 0 OR a.state IN ('TAKEN', 'DONE'))), 0)
                """);
        BROKEN.put("a flow that owes a credit has exactly one row that says so", """
                SELECT CONCAT(f.sku_id, '/', CAST(f.deduct_key AS CHAR))
                  FROM stock_deduct_flow f
                 WHERE f.credit = 'OWED'
                   AND 1 <> (SELECT COUNT(*) FROM stock_compensation c
                              WHERE c.sku_id = f.sku_id AND c.deduct_key = f.deduct_key AND c.kind = 'CREDIT'
                                AND c.bucket_no = COALESCE(f.bucket_no, -1) AND c.qty <=> f.qty)
                """);
        BROKEN.put("a row that owes a credit has its flow", """
                SELECT CONCAT(c.sku_id, '/', CAST(c.deduct_key AS CHAR))
                  FROM stock_compensation c
                 WHERE c.kind = 'CREDIT'
                   AND NOT EXISTS (SELECT 1 FROM stock_deduct_flow f
                                    WHERE f.sku_id = c.sku_id AND f.deduct_key = c.deduct_key AND f.credit = 'OWED')
                """);
        BROKEN.put("only finished flows owe or had a credit, and a flow without bucket is a CANCELLED one", """
                SELECT CONCAT(f.sku_id, '/', CAST(f.deduct_key AS CHAR), ' ', f.status, ' ', f.credit)
                  FROM stock_deduct_flow f
                 WHERE (f.status = 'DEDUCTED' AND f.credit <> 'NONE')
                    OR (f.status = 'CANCELLED') <> (f.bucket_no IS NULL)
                    OR (f.status <> 'CANCELLED' AND f.qty IS NULL)
                """);
        BROKEN.put(
                "the journal tells each flow's story in full, repairs in Redis aside: its birth once, its return once, its credit once",
                """
                SELECT CONCAT(f.sku_id, '/', CAST(f.deduct_key AS CHAR), ' ', f.status, ' ', f.credit)
                  FROM stock_deduct_flow f
                 WHERE (SELECT GROUP_CONCAT(j.changed ORDER BY j.id) FROM stock_journal j
                         WHERE j.sku_id = f.sku_id AND j.deduct_key = f.deduct_key
                           AND j.changed NOT IN ('SETTLED_FORWARD', 'ADOPTED', 'REMOVED'))
                    <> CONCAT(IF(f.status = 'ROLLED_BACK', 'DEDUCTED,ROLLED_BACK', f.status),
                              IF(f.credit = 'DONE', ',CREDIT_DONE', ''))
                """);
        BROKEN.put("an adjustment that is over has no open part", """
                SELECT t.id
                  FROM stock_transfer t JOIN stock_adjustment a
                    ON a.sku_id = t.sku_id AND a.adjustment_key = t.adjustment_key
                 WHERE t.state <> 'DONE' AND a.state IN ('DONE', 'REFUSED')
                """);
    }

    @Inject
    LedgerTables tables;

    void hold() {
        try (Connection connection = tables.connect()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            connection.createStatement().execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
            assertEquals(Map.of(), broken(connection));
            connection.rollback();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The invariants that do not hold, each with some of what breaks it, in the transaction of this connection. */
    public static Map<String, List<String>> broken(Connection connection) throws SQLException {
        Map<String, List<String>> broken = new LinkedHashMap<>();
        for (Map.Entry<String, String> invariant : BROKEN.entrySet()) {
            List<String> found = LedgerTables.column(connection, invariant.getValue() + " LIMIT 5");
            if (!found.isEmpty()) {
                broken.put(invariant.getKey(), found);
            }
        }
        return broken;
    }
}
