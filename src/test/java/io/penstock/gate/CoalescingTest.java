package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.qty;
import static io.penstock.stock.DeductCode.DEDUCTED;
import static io.penstock.stock.DeductCode.DEDUCTED_LAST;
import static io.penstock.stock.DeductCode.DUPLICATE;
import static io.penstock.stock.DeductCode.INSUFFICIENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CoalescingTest {

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    @Inject
    Vertx vertx;

    /** Starts all calls in one tick of one event loop. */
    List<DeductAnswer> inOneTick(int calls, IntFunction<Uni<DeductAnswer>> call) {
        ContextInternal loop = ((VertxInternal) vertx).createEventLoopContext();
        Promise<List<DeductAnswer>> all = Promise.promise();
        loop.runOnContext(tick -> Uni.join()
                .all(IntStream.range(0, calls).mapToObj(call).toList())
                .andFailFast()
                .subscribe()
                .with(all::complete, all::fail));
        return all.future().toCompletionStage().toCompletableFuture().join();
    }

    /** Starts each call on a thread of its own choosing, many at once. */
    List<DeductCode> fromThreads(int threads, int calls, IntFunction<Uni<DeductAnswer>> call) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<DeductCode>> tasks = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                int n = i;
                tasks.add(() -> await(call.apply(n)).code());
            }
            List<DeductCode> codes = new ArrayList<>();
            for (Future<DeductCode> done : pool.invokeAll(tasks)) {
                codes.add(done.get());
            }
            return codes;
        } finally {
            pool.shutdown();
        }
    }

    static Map<DeductCode, Long> count(List<DeductCode> codes) {
        return codes.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    /** Script calls that Redis has answered since its counters were reset. */
    long scriptCalls() {
        Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
                .matcher(probe.send(Command.INFO, "commandstats").toString());
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    @Nested
    class WhenManyComeAtOnce {

        @Test
        void deductsOnceForOneKeyFromSixtyFourCallers() throws Exception {
            // Given
            BucketId bucket = probe.loaded(100);

            // When
            List<DeductCode> codes = fromThreads(64, 64, i -> gate.deduct(bucket, key("o-1"), qty(2)));

            // Then
            assertEquals(Map.of(DEDUCTED, 1L, DUPLICATE, 63L), count(codes));
            assertEquals(98, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void sellsAHundredUnitsToAHundredOfAThousandKeys() throws Exception {
            // Given
            BucketId bucket = probe.loaded(100);

            // When
            List<DeductCode> codes = fromThreads(64, 1_000, i -> gate.deduct(bucket, key("o-" + i), qty(1)));

            // Then
            assertEquals(Map.of(DEDUCTED, 99L, DEDUCTED_LAST, 1L, INSUFFICIENT, 900L), count(codes));
            assertEquals(0, probe.stock(bucket));
            probe.assertSound(bucket);
        }

        @Test
        void staysRightWhileRedisForgetsItsScriptsAgainAndAgain() throws Exception {
            // Given
            BucketId bucket = probe.loaded(500);

            // When
            List<DeductCode> codes = fromThreads(16, 1_000, i -> {
                if (i % 50 == 0) {
                    probe.send(Command.SCRIPT, "FLUSH");
                }
                return gate.deduct(bucket, key("o-" + i), qty(1));
            });

            // Then
            assertEquals(Map.of(DEDUCTED, 499L, DEDUCTED_LAST, 1L, INSUFFICIENT, 500L), count(codes));
            probe.assertSound(bucket);
        }
    }

    @Nested
    class WhenManyComeInOneTick {

        @Test
        void givesEachCallerItsOwnAnswerAcrossCallsOfTwoHundredAndFiftySix() {
            // Given
            BucketId bucket = probe.loaded(1_000_000);

            // When
            List<DeductAnswer> answers = inOneTick(1_200, i -> gate.deduct(bucket, key("o-" + i / 2), qty(1 + i / 2)));

            // Then
            for (int i = 0; i < answers.size(); i++) {
                assertEquals(i % 2 == 0 ? DEDUCTED : DUPLICATE, answers.get(i).code(), "answer " + i);
            }
            Map<String, String> history = probe.history(bucket);
            IntStream.range(0, 600).forEach(i -> assertEquals(String.valueOf(1 + i), history.get("o-" + i)));
            probe.assertSound(bucket);
        }

        @Test
        void sendsOneScriptCallPerBucketAndTwoHundredAndFiftySix() {
            // Given
            List<BucketId> buckets = List.of(probe.loaded(10_000), probe.loaded(10_000));
            inOneTick(1, i -> gate.deduct(buckets.get(0), key("warm"), qty(1)));
            probe.send(Command.CONFIG, "RESETSTAT");

            // When
            inOneTick(1_024, i -> gate.deduct(buckets.get(i % 2), key("o-" + i), qty(1)));

            // Then
            assertTrue(scriptCalls() <= 4, () -> scriptCalls() + " script calls");
            buckets.forEach(probe::assertSound);
        }

        @Test
        void servesManyBuckets() {
            // Given
            List<BucketId> buckets =
                    IntStream.range(0, 50).mapToObj(i -> probe.loaded(10)).toList();

            // When
            List<DeductAnswer> answers = inOneTick(500, i -> gate.deduct(buckets.get(i % 50), key("o-" + i), qty(1)));

            // Then
            assertEquals(
                    Map.of(DEDUCTED, 450L, DEDUCTED_LAST, 50L),
                    count(answers.stream().map(DeductAnswer::code).toList()));
            buckets.forEach(probe::assertSound);
        }
    }

    @Nested
    class WhenTheCallerHasAContext {

        @Test
        void answersOnIt() {
            // Given
            BucketId bucket = probe.loaded(10);
            ContextInternal request =
                    ((VertxInternal) vertx).createEventLoopContext().duplicate();
            Promise<ContextInternal> deducted = Promise.promise();
            Promise<ContextInternal> inspected = Promise.promise();

            // When
            request.runOnContext(tick -> {
                gate.deduct(bucket, key("o-1"), qty(1))
                        .subscribe()
                        .with(answer -> deducted.complete(ContextInternal.current()), deducted::fail);
                gate.inspect(bucket)
                        .subscribe()
                        .with(seen -> inspected.complete(ContextInternal.current()), inspected::fail);
            });

            // Then
            assertSame(
                    request,
                    deducted.future().toCompletionStage().toCompletableFuture().join());
            assertSame(
                    request,
                    inspected.future().toCompletionStage().toCompletableFuture().join());
        }
    }
}
