package io.penstock.gate;

import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.qty;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.campaign.FaultProxy;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Response;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A lane of its own behind a proxy that can fail. */
@QuarkusTest
class LaneTest {

    record Limits(Duration timeout, int maxUnanswered, Duration maxReconnectPause) implements GateConfig {}

    static final Limits LIMITS = new Limits(Duration.ofMillis(400), 300, Duration.ofMillis(200));

    @Inject
    RedisProbe probe;

    @Inject
    RedisAddress address;

    @Inject
    Vertx vertx;

    FaultProxy proxy;
    Lane lane;
    ContextInternal loop;
    BucketId bucket;

    @BeforeEach
    void aLaneThatWorks() {
        URI server = URI.create(address.options().getEndpoint());
        proxy = new FaultProxy();
        proxy.leadTo(server.getHost(), server.getPort());
        lane = laneTo(redis());
        bucket = probe.loaded(1_000);
        answer(deduct("first"));
    }

    @AfterEach
    void closeThem() {
        proxy.heal();
        lane.close();
        proxy.close();
        probe.assertSound(bucket);
    }

    String redis() {
        return "redis://localhost:" + proxy.port();
    }

    Lane laneTo(String redis) {
        RedisOptions options = address.options()
                .setEndpoints(List.of(redis))
                .setMaxPoolSize(2)
                .setMaxPoolWaiting(16)
                .setMaxWaitingHandlers(1_000);
        loop = ((VertxInternal) vertx).createEventLoopContext();
        return new Lane(loop, options, LIMITS);
    }

    CompletableFuture<DeductAnswer> deduct(String key) {
        return Uni.createFrom()
                .<DeductAnswer>emitter(emitter -> lane.deduct(bucket, key(key), qty(1), null, emitter))
                .subscribeAsCompletionStage();
    }

    CompletableFuture<Long> stock() {
        return Uni.createFrom()
                .<Response>emitter(emitter -> lane.call(Script.INSPECT, bucket, List.of(), null, emitter))
                .map(seen -> seen.get(1).toLong())
                .subscribeAsCompletionStage();
    }

    static <T> T answer(CompletableFuture<T> call) {
        try {
            return call.get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("no answer", e);
        }
    }

    static Throwable failure(CompletableFuture<?> call) {
        return assertThrows(ExecutionException.class, () -> call.get(10, TimeUnit.SECONDS))
                .getCause();
    }

    boolean idle() {
        CompletableFuture<Boolean> idle = new CompletableFuture<>();
        loop.runOnContext(tick -> idle.complete(lane.isIdle()));
        return answer(idle);
    }

    void untilItAnswersAgain() {
        await().atMost(Duration.ofSeconds(10)).ignoreExceptions().until(() -> stock().get(5, TimeUnit.SECONDS) != null);
    }

    @Nested
    class WhenNobodyWaits {

        @Test
        void keepsNothingOfTheBucketsItServed() {
            // When
            answer(deduct("o-1"));

            // Then
            assertTrue(idle());
        }
    }

    @Nested
    class WhenRedisHangs {

        @Test
        void tellsEveryCallerInTimeThatItIsUnknown() {
            // Given
            proxy.holdReplies();
            long start = System.nanoTime();

            // When
            List<CompletableFuture<?>> calls = new ArrayList<>(List.of(deduct("o-1"), stock(), deduct("o-2")));
            await().until(() -> proxy.repliesHeld() > 0);
            calls.add(deduct("gathers-behind-them"));
            List<Throwable> failures = calls.stream().map(LaneTest::failure).toList();

            // Then
            failures.forEach(failure -> assertInstanceOf(GateUnavailable.class, failure));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(millis >= 400 && millis < 2_000, millis + " ms");
            await().until(LaneTest.this::idle);
        }

        @Test
        void neverTakesALateReplyForAnothers() {
            // Given
            proxy.holdReplies();
            CompletableFuture<DeductAnswer> lost = deduct("o-1");
            CompletableFuture<Long> lostToo = stock();
            failure(lost);
            failure(lostToo);

            // When
            proxy.heal();
            untilItAnswersAgain();
            DeductAnswer again = answer(deduct("o-1"));
            DeductAnswer other = answer(deduct("o-2"));

            // Then
            assertEquals(DeductCode.DUPLICATE, again.code());
            assertEquals(998, again.stock());
            assertEquals(DeductCode.DEDUCTED, other.code());
            assertEquals(997, other.stock());
        }

        @Test
        void refusesMoreThanItMayHoldAndSendsNothingForThem() {
            // Given
            proxy.holdReplies();
            List<CompletableFuture<DeductAnswer>> held = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                held.add(deduct("o-" + i));
            }

            // When
            Throwable failure = failure(deduct("one-too-many"));

            // Then
            assertInstanceOf(GateOverloaded.class, failure);
            held.forEach(call -> assertInstanceOf(GateUnavailable.class, failure(call)));
            proxy.heal();
            untilItAnswersAgain();
            assertFalse(probe.history(bucket).containsKey("one-too-many"));
            assertEquals(DeductCode.DEDUCTED, answer(deduct("one-too-many")).code());
        }
    }

    @Nested
    class WhenTheConnectionBreaks {

        @Test
        void failsWhatIsInFlightAndConnectsAgain() {
            // Given
            proxy.holdReplies();
            CompletableFuture<DeductAnswer> lost = deduct("o-1");
            await().until(() -> proxy.repliesHeld() > 0);

            // When
            proxy.cut();
            Throwable failure = failure(lost);
            proxy.heal();
            untilItAnswersAgain();

            // Then
            assertEquals("the connection to the gate broke", failure.getMessage());
            assertEquals(DeductCode.DUPLICATE, answer(deduct("o-1")).code());
        }

        @Test
        void connectsAgainThoughNobodyAsks() {
            // When
            proxy.cut();

            // Then
            untilItAnswersAgain();
            assertEquals(999, answer(stock()));
        }
    }

    @Nested
    class WhenRedisCannotBeReached {

        @Test
        void saysSoWithoutNamingAHost() {
            // Given
            String nowhere = redis();
            proxy.close();
            Lane away = laneTo(nowhere);

            // When
            Throwable failure = failure(Uni.createFrom()
                    .<DeductAnswer>emitter(emitter -> away.deduct(bucket, key("o-1"), qty(1), null, emitter))
                    .subscribeAsCompletionStage());

            // Then
            assertEquals("the gate cannot be reached", failure.getMessage());
            assertNotNull(failure.getCause());
            away.close();
        }

        @Test
        void failsAtOnceUntilTheNextTryIsDue() {
            // Given
            String nowhere = redis();
            proxy.close();
            lane.close();
            lane = laneTo(nowhere);
            for (int i = 0; i < 20; i++) {
                failure(deduct("o-" + i));
            }

            // When
            long start = System.nanoTime();
            Throwable failure = failure(deduct("late"));

            // Then
            assertInstanceOf(GateUnavailable.class, failure);
            assertTrue(System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(300));
            await().until(LaneTest.this::idle);
        }
    }
}
