package io.penstock.model;

import io.penstock.ledger.OutcomeLedger;
import io.penstock.model.Observed.AdjustmentRow;
import io.penstock.model.Observed.BucketRow;
import io.penstock.model.Observed.FlowRow;
import io.penstock.model.Observed.RedisBucket;
import io.penstock.model.Observed.TransferRow;
import io.penstock.stock.BucketId;
import io.penstock.stock.SkuId;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Redis and the ledger, past the service: looks at them, and does to them what a fault or an operator does. */
@Singleton
class Servers {

    private static final List<String> KEYS =
            List.of("stock", "deduction_history", "rollback_history", "book", "spills", "load", "load_history");

    private final Redis redis;
    private final OutcomeLedger outcomes;
    private final Connection ledger;

    Servers(
            Redis redis,
            OutcomeLedger outcomes,
            @ConfigProperty(name = "quarkus.datasource.jdbc.url") String url,
            @ConfigProperty(name = "quarkus.datasource.username") String username,
            @ConfigProperty(name = "quarkus.datasource.password") String password)
            throws SQLException {
        this.redis = redis;
        this.outcomes = outcomes;
        this.ledger = DriverManager.getConnection(url, username, password);
    }

    @PreDestroy
    void close() throws SQLException {
        ledger.close();
    }

    /** @param untold whether owed outcomes are looked for: they are of all SKUs */
    Observed look(SkuId sku, List<BucketId> buckets, boolean untold) {
        Map<String, FlowRow> flows = new HashMap<>();
        Map<String, TransferRow> transfers = new HashMap<>();
        Map<String, List<String>> journal = new HashMap<>();
        query(
                "SELECT deduct_key, bucket_no, qty, status, credit FROM stock_deduct_flow WHERE sku_id = ?",
                sku,
                row -> flows.put(
                        row.getString(1),
                        new FlowRow(row.getInt(2), row.getInt(3), row.getString(4), row.getString(5))));
        query(
                "SELECT id, units, epoch, state FROM stock_transfer WHERE sku_id = ?",
                sku,
                row -> transfers.put(
                        row.getString(1), new TransferRow(row.getLong(2), row.getInt(3), row.getString(4))));
        query(
                "SELECT deduct_key, changed FROM stock_journal"
                        + " WHERE sku_id = ? AND deduct_key IS NOT NULL ORDER BY id",
                sku,
                row -> journal.computeIfAbsent(row.getString(1), key -> new ArrayList<>())
                        .add(row.getString(2)));
        return new Observed(
                buckets.stream().map(this::bucket).toList(),
                list(
                        "SELECT allotted, available, epoch, state FROM sku_bucket WHERE sku_id = ? ORDER BY bucket_no",
                        sku,
                        row -> new BucketRow(row.getLong(1), row.getLong(2), row.getInt(3), row.getString(4))),
                flows,
                transfers,
                list(
                        "SELECT delta, state FROM stock_adjustment WHERE sku_id = ?",
                        sku,
                        row -> new AdjustmentRow(row.getLong(1), row.getString(2))),
                journal,
                new HashSet<>(list(
                        "SELECT kind, deduct_key, bucket_no FROM stock_compensation WHERE sku_id = ?",
                        sku,
                        row -> row.getString(1) + " " + row.getString(2) + " " + row.getInt(3))),
                untold ? untold(sku) : Set.of());
    }

    private Set<String> untold(SkuId sku) {
        Set<String> untold = new HashSet<>();
        outcomes.owedFor(Duration.ZERO, 10_000).await().indefinitely().stream()
                .flatMap(owed -> owed.outcomes().stream())
                .filter(outcome -> outcome.skuId().equals(sku))
                .forEach(outcome -> untold.add(outcome.deductKey().value()));
        return untold;
    }

    private RedisBucket bucket(BucketId bucket) {
        Response stock = send(Command.GET, key(bucket, "stock"));
        Set<String> tombstones = new HashSet<>();
        send(Command.ZRANGE, key(bucket, "rollback_history"), 0, -1).forEach(key -> tombstones.add(key.toString()));
        Response claim = send(Command.HGET, key(bucket, "load"), "epoch");
        return new RedisBucket(
                stock == null ? null : stock.toLong(),
                hash(bucket, "deduction_history"),
                hash(bucket, "book"),
                tombstones,
                hash(bucket, "spills"),
                claim == null ? 0 : claim.toInteger());
    }

    private Map<String, String> hash(BucketId bucket, String key) {
        Response all = send(Command.HGETALL, key(bucket, key));
        Map<String, String> fields = new HashMap<>();
        all.getKeys().forEach(field -> fields.put(field, all.get(field).toString()));
        return fields;
    }

    // --- what happens to them ---------------------------------------------------------------------------------------

    /** All that Redis has of a bucket; null where it has nothing. */
    Map<String, byte[]> copy(BucketId bucket) {
        Map<String, byte[]> copy = new LinkedHashMap<>();
        for (String key : KEYS) {
            Response dump = send(Command.DUMP, key(bucket, key));
            copy.put(key, dump == null ? null : dump.toBytes());
        }
        return copy;
    }

    void become(BucketId bucket, Map<String, byte[]> copy) {
        wipe(bucket);
        copy.forEach((key, dump) -> {
            if (dump != null) {
                send(Command.RESTORE, key(bucket, key), 0, Buffer.buffer(dump));
            }
        });
    }

    void wipe(BucketId bucket) {
        KEYS.forEach(key -> send(Command.DEL, key(bucket, key)));
    }

    void loseStock(BucketId bucket) {
        send(Command.DEL, key(bucket, "stock"));
    }

    void loseEntry(BucketId bucket, String deductKey) {
        send(Command.HDEL, key(bucket, "deduction_history"), deductKey);
    }

    void forge(BucketId bucket, String deductKey) {
        send(Command.HSET, key(bucket, "deduction_history"), deductKey, 1);
    }

    /** As an operator's pause will do it. */
    void closeInLedger(BucketId bucket, boolean closed) {
        String sql = "UPDATE sku_bucket SET state = ? WHERE sku_id = ? AND bucket_no = ?";
        try (PreparedStatement update = ledger.prepareStatement(sql)) {
            update.setString(1, closed ? "OFFLINE" : "ACTIVE");
            update.setLong(2, bucket.skuId().value());
            update.setInt(3, bucket.bucketNo());
            update.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private static String key(BucketId bucket, String key) {
        return "hot_{" + bucket.tag() + "}_" + key;
    }

    private Response send(Command command, Object... args) {
        Request request = Request.cmd(command);
        for (Object arg : args) {
            if (arg instanceof Buffer bytes) {
                request.arg(bytes);
            } else {
                request.arg(String.valueOf(arg));
            }
        }
        return redis.send(request).toCompletionStage().toCompletableFuture().join();
    }

    private interface Reading<T> {
        T of(ResultSet row) throws SQLException;
    }

    private <T> List<T> list(String sql, SkuId sku, Reading<T> reading) {
        List<T> found = new ArrayList<>();
        query(sql, sku, row -> found.add(reading.of(row)));
        return found;
    }

    private void query(String sql, SkuId sku, Reading<?> reading) {
        try (PreparedStatement statement = ledger.prepareStatement(sql)) {
            statement.setLong(1, sku.value());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reading.of(rows);
                }
            }
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }
}
