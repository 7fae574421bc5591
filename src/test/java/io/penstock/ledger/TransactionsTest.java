package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TransactionsTest extends LedgerTest {

    /** What a busy test machine may add to a timeout. */
    private static final Duration SLACK = Duration.ofSeconds(5);

    @Inject
    Transactions transactions;

    @Inject
    LedgerConfig config;

    /** Every connection of the pool serves, and none has an open transaction left that its next user would commit. */
    private void thePoolWorks() {
        SkuId sku = gated(1_000, 1);
        together(IntStream.range(0, 60)
                .mapToObj(i -> flows.settle(List.of(accepted(sku, 1, "after-" + i, 1))))
                .toList());
        assertEquals(940, available(sku, 1));
    }

    private Connection lockTheBucket(SkuId sku) throws SQLException {
        Connection other = tables.connect();
        other.setAutoCommit(false);
        LedgerTables.column(other, "SELECT epoch FROM sku_bucket WHERE sku_id = ? FOR UPDATE", sku.value());
        return other;
    }

    private LedgerUnavailable unavailableInTime(Uni<?> uni) {
        Instant start = Instant.now();
        LedgerUnavailable failure = assertThrows(LedgerUnavailable.class, () -> await(uni));
        Duration took = Duration.between(start, Instant.now());
        assertTrue(took.compareTo(config.timeout().multipliedBy(2).plus(SLACK)) < 0, took.toString());
        return failure;
    }

    @Nested
    class WhenAConnectionIsMade {

        @Test
        void isReadCommittedStrictInUtcAndWithoutAutocommit() {
            // When
            List<String> variables = await(transactions.read(transaction -> transaction
                    .execute("""
                            SHOW VARIABLES
                             WHERE variable_name IN ('autocommit', 'time_zone', 'sql_mode', 'innodb_lock_wait_timeout')
                                OR variable_name IN ('tx_isolation', 'transaction_isolation')
                            """)
                    .map(rows -> {
                        TreeSet<String> values = new TreeSet<>();
                        rows.forEach(row -> values.add(row.getString(1)));
                        return List.copyOf(values);
                    })));

            // Then
            assertEquals(List.of("+00:00", "1", "OFF", "READ-COMMITTED", "STRICT_ALL_TABLES"), variables);
        }
    }

    @Nested
    class WhenTransactionsCross {

        @Test
        void beginsTheOneAgainThatLostTheDeadlock() {
            // Given
            SkuId one = gated(10, 1);
            SkuId other = gated(10, 1);
            CountDownLatch bothHoldOne = new CountDownLatch(2);
            AtomicInteger begun = new AtomicInteger();

            // When
            together(List.of(crossing(one, other, bothHoldOne, begun), crossing(other, one, bothHoldOne, begun)));

            // Then
            assertTrue(begun.get() > 2, "there was no deadlock");
            assertEquals(2, bucket(one, 1).epoch());
            assertEquals(2, bucket(other, 1).epoch());
        }

        private Uni<Integer> crossing(SkuId first, SkuId second, CountDownLatch bothHoldOne, AtomicInteger begun) {
            return transactions.run(transaction -> {
                begun.incrementAndGet();
                return raise(transaction, first)
                        .emitOn(io.smallrye.mutiny.infrastructure.Infrastructure.getDefaultExecutor())
                        .invoke(done -> meet(bothHoldOne))
                        .chain(() -> raise(transaction, second))
                        .map(Ending::keep);
            });
        }

        private static Uni<Integer> raise(Transaction transaction, SkuId sku) {
            return transaction.count("UPDATE sku_bucket SET epoch = epoch + 1 WHERE sku_id = ?", sku.value());
        }

        private static void meet(CountDownLatch both) {
            both.countDown();
            try {
                both.await(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Nested
    class WhenARowStaysLocked {

        @Test
        void isUnavailableInTimeAndWritesNothing() throws SQLException {
            // Given
            SkuId sku = gated(10, 1);

            // When
            try (Connection other = lockTheBucket(sku)) {
                unavailableInTime(flows.settle(List.of(accepted(sku, 1, "order-1", 2))));
                other.rollback();
            }

            // Then
            assertEquals(10, available(sku, 1));
            thePoolWorks();
            assertEquals(Settled.Verdict.DEDUCTED, settleOne(sku, 1, "order-1", 2));
        }

        @Test
        void goesOnByItselfOnceTheLockIsGone() throws SQLException {
            // Given
            SkuId sku = gated(10, 1);
            Uni<SettledBatch> settling;

            // When
            try (Connection other = lockTheBucket(sku)) {
                settling = flows.settle(List.of(accepted(sku, 1, "order-1", 2)))
                        .memoize()
                        .indefinitely();
                settling.subscribe().with(done -> {}, failed -> {});
                Awaitility.await()
                        .until(() -> tables.number(
                                        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'UPDATE JSON_TABLE%'")
                                > 0);
                other.rollback();
            }

            // Then
            assertEquals(Settled.Verdict.DEDUCTED, verdict(settling));
        }

        private Settled.Verdict verdict(Uni<SettledBatch> settling) {
            return together(List.of(settling)).get(0).deductions().get(0).verdict();
        }
    }

    @Nested
    class WhenTheCallerGoesAway {

        @Test
        void undoesWhatItHadBegun() throws SQLException {
            // Given
            SkuId sku = gated(1_000, 1);

            // When
            try (Connection other = lockTheBucket(sku)) {
                List<Cancellable> callers = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    callers.add(flows.settle(List.of(accepted(sku, 1, "order-" + i, 1)))
                            .subscribe()
                            .with(done -> {}, failed -> {}));
                }
                callers.forEach(Cancellable::cancel);
                other.rollback();
            }

            // Then
            thePoolWorks();
            Awaitility.await().untilAsserted(() -> assertEquals(1_000, available(sku, 1)));
        }

        @Test
        void leavesNoTransactionOpenAtWhateverStepItGoes() {
            // Given
            SkuId sku = gated(100_000, 1);

            // When
            for (int i = 0; i < 300; i++) {
                String key = "order-" + i;
                Cancellable caller = flows.settle(List.of(accepted(sku, 1, key, 1)))
                        .subscribe()
                        .with(done -> {}, failed -> {});
                int spins = i * 500;
                while (spins-- > 0) {
                    Thread.onSpinWait();
                }
                caller.cancel();
            }

            // Then
            thePoolWorks();
            invariants.hold();
        }
    }

    @Nested
    class WhenTheServerHangs {

        @Test
        void isUnavailableInTimeAndWorksAgainAfterwards() throws Exception {
            // Given
            SkuId sku = gated(1_000, 1);
            String pid = serverPid();
            List<Throwable> failures;

            // When
            signal("STOP", pid);
            try {
                failures = IntStream.range(0, 40)
                        .mapToObj(i -> flows.settle(List.of(accepted(sku, 1, "order-" + i, 1)))
                                .subscribeAsCompletionStage())
                        .toList()
                        .stream()
                        .map(stage ->
                                (Throwable) unavailableInTime(Uni.createFrom().completionStage(stage)))
                        .toList();
            } finally {
                signal("CONT", pid);
            }

            // Then
            failures.forEach(failure -> assertInstanceOf(LedgerUnavailable.class, failure));
            Awaitility.await()
                    .atMost(config.silence().plus(SLACK))
                    .ignoreExceptionsInstanceOf(LedgerUnavailable.class)
                    .untilAsserted(() -> assertEquals(
                            1_000, await(skus.find(sku)).orElseThrow().total()));
            thePoolWorks();
        }

        @Test
        void losesASnapshotAndWorksAgainAfterwards() throws Exception {
            // Given
            SkuId sku = gated(1_000, 1);
            String pid = serverPid();

            // When
            try {
                unavailableInTime(skus.snapshot(sku, 1, snapshot -> {
                    signal("STOP", pid);
                    return snapshot.units();
                }));
            } finally {
                signal("CONT", pid);
            }

            // Then
            Awaitility.await()
                    .atMost(config.silence().plus(SLACK))
                    .ignoreExceptionsInstanceOf(LedgerUnavailable.class)
                    .untilAsserted(() -> assertEquals(
                            1_000, await(skus.find(sku)).orElseThrow().total()));
            thePoolWorks();
        }

        private String serverPid() throws IOException {
            Path pidFile = Path.of(tables.column("SELECT @@datadir").get(0))
                    .resolve(tables.column("SELECT @@pid_file").get(0));
            return Files.readString(pidFile).trim();
        }

        private static void signal(String signal, String pid) {
            try {
                assertEquals(
                        0, new ProcessBuilder("kill", "-" + signal, pid).start().waitFor());
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Nested
    class WhenConnectionsAreCut {

        @Test
        void isUnavailableAndConnectsAgain() throws SQLException {
            // Given
            SkuId sku = gated(10, 1);
            LedgerUnavailable failure;

            // When
            try (Connection other = lockTheBucket(sku)) {
                Uni<SettledBatch> settling = flows.settle(List.of(accepted(sku, 1, "order-1", 2)))
                        .memoize()
                        .indefinitely();
                settling.subscribe().with(done -> {}, failed -> {});
                Awaitility.await().until(() -> !waiting().isEmpty());
                waiting().forEach(id -> tables.change("KILL " + id));
                failure = unavailableInTime(settling);
                other.rollback();
            }

            // Then
            assertEquals("The ledger failed.", failure.getMessage());
            thePoolWorks();
        }

        private List<String> waiting() {
            return tables.column("SELECT id FROM information_schema.processlist WHERE info LIKE 'UPDATE JSON_TABLE%'");
        }
    }

    @Nested
    class WhenItFails {

        @Test
        void saysNothingOfTheServerOrTheStatement() {
            // When
            LedgerUnavailable failure = unavailableInTime(
                    transactions.read(transaction -> transaction.execute("SELECT secret FROM nowhere")));

            // Then
            assertEquals("The ledger failed.", failure.getMessage());
            assertFalse(failure.getCause().getMessage().isEmpty());
        }

        @Test
        void handsARefusalThroughUnchangedAndKeepsNothing() {
            // Given
            SkuId sku = gated(10, 1);
            RuntimeException refusal = new RuntimeException("no");
            Uni<Object> refused = transactions.run(transaction -> transaction
                    .execute("UPDATE sku_bucket SET epoch = 7 WHERE sku_id = ?", sku.value())
                    .replaceWith(Ending.refuse(refusal)));

            // When
            RuntimeException failure = assertThrows(RuntimeException.class, () -> await(refused));

            // Then
            assertEquals(refusal, failure);
            assertEquals(0, bucket(sku, 1).epoch());
        }

        @Test
        void keepsNothingOfWorkThatBreaks() {
            // Given
            SkuId sku = gated(10, 1);
            Uni<Object> broken = transactions.run(transaction -> transaction
                    .execute("UPDATE sku_bucket SET epoch = 7 WHERE sku_id = ?", sku.value())
                    .map(done -> {
                        throw new ArithmeticException("a defect");
                    }));

            // When
            LedgerUnavailable failure = assertThrows(LedgerUnavailable.class, () -> await(broken));

            // Then
            assertInstanceOf(ArithmeticException.class, failure.getCause());
            thePoolWorks();
            assertEquals(0, bucket(sku, 1).epoch());
        }
    }

    @Nested
    class WhenTooManyWait {

        @Test
        void refusesTheRestAtOnce() throws SQLException {
            // Given
            SkuId sku = gated(10_000, 1);
            List<Uni<SettledBatch>> crowd = IntStream.range(0, config.maxWaiting() + 100)
                    .mapToObj(i -> flows.settle(List.of(accepted(sku, 1, "order-" + i, 1))))
                    .toList();
            AtomicInteger refused = new AtomicInteger();
            AtomicInteger ended = new AtomicInteger();

            // When
            try (Connection other = lockTheBucket(sku)) {
                crowd.forEach(one -> one.onTermination()
                        .invoke(ended::incrementAndGet)
                        .subscribe()
                        .with(done -> {}, failed -> {
                            if (!wasTooLate(failed)) {
                                refused.incrementAndGet();
                            }
                        }));
                Awaitility.await().untilAsserted(() -> assertTrue(refused.get() > 0));
                other.rollback();
            }

            // Then
            Awaitility.await()
                    .atMost(config.timeout().multipliedBy(2).plus(SLACK))
                    .until(() -> ended.get() == crowd.size());
            thePoolWorks();
        }
    }
}
