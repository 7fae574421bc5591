package io.penstock.gate;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Looks at the test's Redis with plain commands, past the gate. */
@ApplicationScoped
class RedisProbe {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final AtomicLong NEXT_SKU = new AtomicLong(System.currentTimeMillis() * 1_000);

    private final Redis redis;
    private final Gate gate;

    RedisProbe(Redis redis, Gate gate) {
        this.redis = redis;
        this.gate = gate;
    }

    /** A bucket no other test knows. */
    static BucketId newBucket() {
        return new BucketId(new SkuId(NEXT_SKU.incrementAndGet()), new SkuCode("SKU_A"), 3);
    }

    static DeductKey key(String value) {
        return new DeductKey(value);
    }

    static Quantity qty(int value) {
        return new Quantity(value);
    }

    static <T> T await(Uni<T> uni) {
        return uni.await().atMost(PATIENCE);
    }

    /** A new bucket, loaded in epoch 1. */
    BucketId loaded(long units) {
        BucketId bucket = newBucket();
        load(bucket, 1, new LoadedUnits(units, 0, 0, false, Map.of()));
        return bucket;
    }

    void load(BucketId bucket, long epoch, LoadedUnits units) {
        assertEquals(Claim.TAKEN, await(gate.begin(bucket, epoch)));
        assertEquals(Claim.TAKEN, await(gate.finish(bucket, epoch, units)));
    }

    Response send(Command command, Object... args) {
        Request request = Request.cmd(command);
        for (Object arg : args) {
            request.arg(String.valueOf(arg));
        }
        return redis.send(request).toCompletionStage().toCompletableFuture().join();
    }

    /** Runs a script with arguments that the gate's types would not let through. */
    Response eval(Script script, BucketId bucket, List<String> args) {
        return redis.send(script.byText(bucket, args))
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    long stock(BucketId bucket) {
        return send(Command.GET, BucketKey.STOCK.of(bucket)).toLong();
    }

    Map<String, String> history(BucketId bucket) {
        return hash(BucketKey.HISTORY, bucket);
    }

    Map<String, String> book(BucketId bucket) {
        return hash(BucketKey.BOOK, bucket);
    }

    Map<String, String> hash(BucketKey key, BucketId bucket) {
        Response all = send(Command.HGETALL, key.of(bucket));
        Map<String, String> fields = new TreeMap<>();
        for (String field : all.getKeys()) {
            fields.put(field, all.get(field).toString());
        }
        return fields;
    }

    List<String> tombstones(BucketId bucket) {
        List<String> keys = new ArrayList<>();
        send(Command.ZRANGE, BucketKey.TOMBSTONES.of(bucket), 0, -1).forEach(key -> keys.add(key.toString()));
        return keys;
    }

    /** Redis loses entries of the history, but not what the book says of them. */
    void loseEntries(BucketId bucket, String... keys) {
        for (String key : keys) {
            send(Command.HDEL, BucketKey.HISTORY.of(bucket), key);
        }
    }

    /** Everything Redis holds of a bucket, byte for byte. */
    Map<String, String> state(BucketId bucket) {
        Map<String, String> state = new LinkedHashMap<>();
        for (BucketKey key : BucketKey.values()) {
            Response dump = send(Command.DUMP, key.of(bucket));
            state.put(key.suffix(), dump == null ? "none" : HexFormat.of().formatHex(dump.toBytes()));
        }
        return state;
    }

    /** What holds in every bucket, unless Redis lost data. */
    void assertSound(BucketId bucket) {
        Map<String, String> book = book(bucket);
        Map<String, String> history = history(bucket);
        long deducted = Long.parseLong(book.get("deducted"));
        long sum = history.values().stream().mapToLong(Long::parseLong).sum();
        assertAll(
                () -> assertAddsUp(bucket),
                () -> assertEquals(sum, deducted, "the book's deducted is the sum of the history"),
                () -> assertEquals(history.size(), Long.parseLong(book.get("count")), "count is HLEN"));
    }

    /** What holds in every bucket, also when Redis lost data. */
    void assertAddsUp(BucketId bucket) {
        Map<String, String> book = book(bucket);
        long deducted = Long.parseLong(book.get("deducted"));
        assertEquals(Long.parseLong(book.get("allotment")), stock(bucket) + deducted, "stock + deducted = allotment");
        for (BucketKey key : BucketKey.values()) {
            long ttl = send(Command.TTL, key.of(bucket)).toLong();
            assertEquals(true, ttl == -1 || ttl == -2, "no key has a TTL");
        }
    }
}
