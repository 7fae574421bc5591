package io.penstock.campaign;

import static org.awaitility.Awaitility.await;

import io.penstock.local.LocalServers;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
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
    private final Vertx vertx = Vertx.vertx();
    private final Redis redis;

    AtRest(LocalServers servers) {
        this.servers = servers;
        this.redis = Redis.createClient(vertx, "redis://" + servers.redis().address());
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
        List<String> differences = new ArrayList<>();
        try (Connection ledger = connect()) {
            long owed = number(ledger, "SELECT COUNT(*) FROM stock_compensation WHERE sku_id = ?", sku);
            if (owed != 0) {
                differences.add(owed + " debts are not given");
            }
            for (int bucket = 1; bucket <= buckets; bucket++) {
                compare(ledger, sku, code, bucket, differences);
            }
        }
        return differences;
    }

    private void compare(Connection ledger, long sku, String code, int bucket, List<String> differences)
            throws Exception {
        String tag = "hot_{" + sku + "-" + code + "_B" + bucket + "}_";
        Map<String, Long> sold = sold(ledger, sku, bucket);
        Map<String, Long> held = hash(tag + "deduction_history");
        long units = sold.values().stream().mapToLong(Long::longValue).sum();
        long allotted = bucketNumber(ledger, "allotted", sku, bucket);
        long available = bucketNumber(ledger, "available", sku, bucket);
        long stock = Long.parseLong(string(tag + "stock"));
        Map<String, String> book = strings(tag + "book");
        same(differences, tag, "ledger's available is allotted less sold", allotted - units, available);
        same(differences, tag, "gate's stock is the ledger's available", available, stock);
        same(differences, tag, "gate's entries are the ledger's sold flows", sold, held);
        same(differences, tag, "book's deducted is the sum of its entries", "" + units, book.get("deducted"));
        same(differences, tag, "book's count is the number of its entries", "" + held.size(), book.get("count"));
        same(differences, tag, "book's allotment is the ledger's", "" + allotted, book.get("allotment"));
    }

    private static void same(List<String> differences, String bucket, String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            differences.add(bucket + ": " + what + ": expected " + expected + ", is " + actual);
        }
    }

    private Map<String, Long> sold(Connection ledger, long sku, int bucket) throws SQLException {
        Map<String, Long> sold = new TreeMap<>();
        try (PreparedStatement query = ledger.prepareStatement(
                "SELECT deduct_key, qty FROM stock_deduct_flow WHERE sku_id = ? AND bucket_no = ? AND status = 'DEDUCTED'")) {
            query.setLong(1, sku);
            query.setInt(2, bucket);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    sold.put(new String(rows.getBytes(1), StandardCharsets.US_ASCII), rows.getLong(2));
                }
            }
        }
        return sold;
    }

    private long bucketNumber(Connection ledger, String column, long sku, int bucket) throws SQLException {
        return number(
                ledger, "SELECT " + column + " FROM sku_bucket WHERE bucket_no = " + bucket + " AND sku_id = ?", sku);
    }

    private static long number(Connection ledger, String sql, long sku) throws SQLException {
        try (PreparedStatement query = ledger.prepareStatement(sql)) {
            query.setLong(1, sku);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://" + servers.ledger().address() + "/" + LocalServers.LEDGER_DATABASE,
                LocalServers.LEDGER_USERNAME,
                LocalServers.LEDGER_PASSWORD);
    }

    private Map<String, Long> hash(String key) throws Exception {
        Map<String, Long> numbers = new TreeMap<>();
        strings(key).forEach((field, value) -> numbers.put(field, Long.valueOf(value)));
        return numbers;
    }

    private Map<String, String> strings(String key) throws Exception {
        Response all = ask(Request.cmd(Command.HGETALL).arg(key));
        Map<String, String> strings = new TreeMap<>();
        for (String field : all.getKeys()) {
            strings.put(field, all.get(field).toString());
        }
        return strings;
    }

    private String string(String key) throws Exception {
        return String.valueOf(ask(Request.cmd(Command.GET).arg(key)));
    }

    private Response ask(Request request) throws Exception {
        return redis.send(request).toCompletionStage().toCompletableFuture().get();
    }

    @Override
    public void close() {
        redis.close();
        vertx.close();
    }
}
