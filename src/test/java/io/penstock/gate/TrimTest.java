package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.qty;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.stock.BucketId;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@QuarkusTest
class TrimTest {

    private static final Duration HORIZON = Duration.ofHours(24);
    private static final long LONG_AGO = 1_600_000_000_000L;

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    BucketId bucket;

    /** One of each kind, just now, and an old one. */
    @BeforeEach
    void aBucketThatRemembers() {
        bucket = probe.loaded(10);
        await(gate.deduct(bucket, key("young"), qty(1)));
        await(gate.restore(bucket, List.of(key("young"))));
        await(gate.spill(bucket, key("young"), 1));
        await(gate.deposit(bucket, "young/3", 5, 1));
        probe.send(Command.ZADD, BucketKey.TOMBSTONES.of(bucket), LONG_AGO, "old");
        probe.send(Command.HSET, BucketKey.SPILLS.of(bucket), "old", "1:" + LONG_AGO);
        probe.send(Command.HSET, BucketKey.BOOK.of(bucket), "old/3", "-2:" + LONG_AGO);
    }

    private List<String> old(Remembered what, Duration age) {
        return await(gate.old(bucket, what, age, HistoryPage.FIRST)).names().stream()
                .sorted()
                .toList();
    }

    private static String old(Remembered what) {
        return what == Remembered.TRANSFER ? "old/3" : "old";
    }

    private static String young(Remembered what) {
        return what == Remembered.TRANSFER ? "young/3" : "young";
    }

    @ParameterizedTest
    @EnumSource(Remembered.class)
    void findsWhatIsOlder(Remembered what) {
        assertEquals(List.of(old(what)), old(what, HORIZON));
        assertEquals(List.of(old(what), young(what)), old(what, Duration.ZERO));
    }

    @ParameterizedTest
    @EnumSource(Remembered.class)
    void forgetsTheOldAndKeepsTheYoung(Remembered what) {
        // When
        int forgotten = await(gate.forget(bucket, what, HORIZON, List.of(old(what), young(what), "unknown/3")));

        // Then
        assertEquals(1, forgotten);
        assertEquals(List.of(young(what)), old(what, Duration.ZERO));
        probe.assertSound(bucket);
    }

    @Test
    void neverForgetsTheNumbersOfTheBook() {
        // Given
        Map<String, String> before = probe.book(bucket);

        // When
        await(gate.forget(
                bucket, Remembered.TRANSFER, Duration.ZERO, List.of("allotment", "deducted", "count", "epoch")));

        // Then
        assertEquals(before, probe.book(bucket));
    }
}
