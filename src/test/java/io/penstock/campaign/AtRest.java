package io.penstock.campaign;

import static org.awaitility.Awaitility.await;

import io.penstock.local.LocalServers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The promises, as they look once everything is settled and every debt is given: read from the servers themselves, past the service.
 *
 * <p>Gate and ledger agree entry by entry; neither has sold more than it was given; every key is one flow at most, and every credit is given.
 */
final class AtRest implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LocalServers servers;
    private final PlainRedis redis;

    /** A row of {@code stock_deduct_flow}; bucket and qty are null where there were none. */
    record FlowRow(String status, Integer bucketNo, Integer qty) {}

    AtRest(LocalServers servers) {
        this.servers = servers;
        this.redis = new PlainRedis(servers.redis().address());
    }

    /** Waits until the backlog is settled and the debts are given; fails with what still differs. */
    void mustHold(long sku, String code, int buckets) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            List<String> differences = differences(sku, code, buckets);
            if (!differences.isEmpty()) {
                throw new AssertionError("at rest, but: " + String.join("\n", differences));
            }
        });
    }

    /** Transactions whose outcomes Kafka does not have yet, of all SKUs. */
    long owedOutcomes() throws SQLException {
        try (Connection ledger = connect()) {
            return number(ledger, "SELECT COUNT(*) FROM stock_outcome WHERE id > ?", 0);
        }
    }

    private List<String> differences(long sku, String code, int buckets) throws Exception {
        try (Connection ledger = connect()) {
            return differences(ledger, sku, code, buckets);
        }
    }

    List<String> differences(Connection ledger, long sku, String code, int buckets) throws Exception {
        List<String> differences = new ArrayList<>();
        nothingOpen(ledger, sku, differences);
        for (int bucket = 1; bucket <= buckets; bucket++) {
            compare(ledger, sku, code, bucket, differences);
        }
        return differences;
    }

    private static void nothingOpen(Connection ledger, long sku, List<String> differences) throws SQLException {
        Map<String, String> open = Map.of(
                "debts are not given", "SELECT COUNT(*) FROM stock_compensation WHERE sku_id = ?",
                "credits are owed", "SELECT COUNT(*) FROM stock_deduct_flow WHERE credit = 'OWED' AND sku_id = ?",
                "outcomes are not told",
                        "SELECT COUNT(*) FROM stock_outcome WHERE JSON_CONTAINS(events, JSON_OBJECT('sku', ?))",
                "transfers are open", "SELECT COUNT(*) FROM stock_transfer WHERE state <> 'DONE' AND sku_id = ?");
        for (Map.Entry<String, String> what : open.entrySet()) {
            long number = number(ledger, what.getValue(), sku);
            if (number != 0) {
                differences.add(number + " " + what.getKey());
            }
        }
    }

    private void compare(Connection ledger, long sku, String code, int bucket, List<String> differences)
            throws Exception {
        String tag = "hot_{" + sku + "-" + code + "_B" + bucket + "}_";
        Map<String, String> sold = sold(ledger, sku, bucket);
        Map<String, String> held = redis.hash(tag + "deduction_history");
        long units = sold.values().stream().mapToLong(Long::parseLong).sum();
        long allotted = bucketNumber(ledger, "allotted", sku, bucket);
        long available = bucketNumber(ledger, "available", sku, bucket);
        Map<String, String> book = redis.hash(tag + "book");
        same(differences, tag, "ledger's available is allotted less sold", allotted - units, available);
        same(differences, tag, "gate's stock is the ledger's available", available, redis.string(tag + "stock"));
        sameEntries(differences, tag, sold, held);
        same(differences, tag, "book's deducted is the sum of its entries", units, book.get("deducted"));
        same(differences, tag, "book's count is the number of its entries", held.size(), book.get("count"));
        same(differences, tag, "book's allotment is the ledger's", allotted, book.get("allotment"));
    }

    private static void same(List<String> differences, String bucket, String what, Object expected, Object actual) {
        if (!expected.toString().equals(String.valueOf(actual))) {
            differences.add(bucket + ": " + what + ": expected " + expected + ", is " + actual);
        }
    }

    private static void sameEntries(
            List<String> differences, String bucket, Map<String, String> sold, Map<String, String> held) {
        sold.forEach((key, qty) -> {
            if (!qty.equals(held.get(key))) {
                differences.add(bucket + ": " + key + " is sold with qty " + qty + ", the gate has " + held.get(key));
            }
        });
        held.forEach((key, qty) -> {
            if (!sold.containsKey(key)) {
                differences.add(bucket + ": the gate has " + key + " with qty " + qty + ", which is not sold");
            }
        });
    }

    private Map<String, String> sold(Connection ledger, long sku, int bucket) throws SQLException {
        Map<String, String> sold = new TreeMap<>();
        try (PreparedStatement query = ledger.prepareStatement(
                "SELECT deduct_key, qty FROM stock_deduct_flow WHERE sku_id = ? AND bucket_no = ? AND status = 'DEDUCTED'")) {
            query.setLong(1, sku);
            query.setInt(2, bucket);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    sold.put(text(rows, 1), rows.getString(2));
                }
            }
        }
        return sold;
    }

    /** Every flow of a SKU, by deduct key. */
    static Map<String, FlowRow> flows(Connection ledger, long sku) throws SQLException {
        Map<String, FlowRow> flows = new TreeMap<>();
        try (PreparedStatement query = ledger.prepareStatement(
                "SELECT deduct_key, status, bucket_no, qty FROM stock_deduct_flow WHERE sku_id = ?")) {
            query.setLong(1, sku);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    flows.put(
                            text(rows, 1),
                            new FlowRow(
                                    rows.getString(2),
                                    rows.getObject(3, Integer.class),
                                    rows.getObject(4, Integer.class)));
                }
            }
        }
        return flows;
    }

    /** Units that the buckets of a SKU have been given, together. */
    static long allotted(Connection ledger, long sku) throws SQLException {
        return number(ledger, "SELECT SUM(allotted) FROM sku_bucket WHERE sku_id = ?", sku);
    }

    private static String text(ResultSet rows, int column) throws SQLException {
        return new String(rows.getBytes(column), StandardCharsets.US_ASCII);
    }

    private long bucketNumber(Connection ledger, String column, long sku, int bucket) throws SQLException {
        return number(
                ledger, "SELECT " + column + " FROM sku_bucket WHERE bucket_no = " + bucket + " AND sku_id = ?", sku);
    }

    private static long number(Connection ledger, String sql, long parameter) throws SQLException {
        try (PreparedStatement query = ledger.prepareStatement(sql)) {
            query.setLong(1, parameter);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    /** The ledger as it is at the first look, which it stays for this connection. */
    Connection ledgerAtOneInstant() throws SQLException {
        Connection ledger = connect();
        ledger.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        ledger.setAutoCommit(false);
        return ledger;
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://" + servers.ledger().address() + "/" + LocalServers.LEDGER_DATABASE,
                LocalServers.LEDGER_USERNAME,
                LocalServers.LEDGER_PASSWORD);
    }

    @Override
    public void close() {
        redis.close();
    }
}
