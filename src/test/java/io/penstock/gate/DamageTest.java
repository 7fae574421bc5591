package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RedisProbe.key;
import static io.penstock.gate.RedisProbe.newBucket;
import static io.penstock.gate.RedisProbe.qty;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis keeps the writes of a script that fails: so a script that fails must not have written. */
@QuarkusTest
class DamageTest {

    /** Scripts that run on a bucket that is being loaded; the others run on a loaded one. */
    private static final Set<Script> LOADING = Set.of(Script.BEGIN, Script.STAGE, Script.STAGE_FINISHED, Script.FINISH);

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    /** Loaded, with an entry, a tombstone, a pointer and a transfer. */
    BucketId soldBucket() {
        BucketId bucket = probe.loaded(10);
        await(gate.deduct(bucket, key("o-1"), qty(4)));
        await(gate.entomb(bucket, key("f-1")));
        await(gate.spill(bucket, key("s-1"), 7));
        await(gate.deposit(bucket, "7/in", 5, 1));
        return bucket;
    }

    /** Claimed for epoch 1, with one staged entry and leftovers of history and tombstones. */
    BucketId claimedBucket() {
        BucketId bucket = newBucket();
        await(gate.begin(bucket, 1));
        await(gate.stage(bucket, 1, Map.of(key("o-1"), qty(4))));
        await(gate.stageFinished(bucket, 1, List.of(key("f-1"))));
        probe.send(Command.HSET, BucketKey.HISTORY.of(bucket), "leftover", 1);
        return bucket;
    }

    BucketId bucketFor(Script script) {
        return LOADING.contains(script) ? claimedBucket() : soldBucket();
    }

    /** Arguments with which the script would write (or read) on {@link #bucketFor}. */
    static List<String> rightArguments(Script script) {
        return switch (script) {
            case DEDUCT, REPAY, ADOPT -> List.of("new", "1");
            case RESTORE -> List.of("", "o-1");
            case ENTOMB, FIND -> List.of("o-1");
            case RECOUNT -> List.of("1", "11", "15", "4", "1", "1", "20");
            case BEGIN -> List.of("2");
            case STAGE -> List.of("1", "o-2", "1");
            case STAGE_FINISHED -> List.of("1", "f-2");
            case FINISH -> List.of("1", "10", "4", "1", "0", "7/in", "5");
            case WITHDRAW -> List.of("8/out", "1", "1");
            case DEPOSIT -> List.of("8/in", "1", "1");
            case SPILL -> List.of("o-2", "7");
            case CLOSE, OPEN, INSPECT -> List.of();
            case SCAN -> List.of("0");
            case HELD -> List.of("o-1");
            case REMOVE -> List.of("1", "4", "1", "1", "o-1");
            case OLD -> List.of("tombstone", "0", "0");
            case FORGET -> List.of("tombstone", "0", "f-1");
        };
    }

    static Throwable failure(Runnable call) {
        return assertThrows(CompletionException.class, call::run).getCause();
    }

    void assertFailsWithoutATrace(Script script, List<String> args, Consumer<BucketId> damage, String error) {
        // Given
        BucketId bucket = bucketFor(script);
        damage.accept(bucket);
        Map<String, String> before = probe.state(bucket);

        // When
        Throwable failure = failure(() -> probe.eval(script, bucket, args));

        // Then
        assertTrue(failure.getMessage().startsWith(error), failure.getMessage());
        assertFalse(failure.getMessage().startsWith("ERR user_script"), "a check, not a stumble");
        assertEquals(before, probe.state(bucket));
    }

    @Nested
    class WhenArgumentsAreWrong {

        static final List<Arguments> WRONG = wrong();

        static List<Arguments> wrong() {
            List<Arguments> all = new ArrayList<>();
            List<String> keys = List.of("", " a", "a b", "-a", "a/b", "ü", "a".repeat(65));
            List<String> quantities = List.of("0", "-1", "1.0", "1e2", "01", "+1", " 1", "", "1000001", "x", "0x1");
            List<String> numbers = List.of("", "x", "1e14", "1.5", "01", "-0", "1000000000000000", " 1", "nan", "inf");
            for (Script script : List.of(Script.DEDUCT, Script.REPAY, Script.ADOPT)) {
                keys.forEach(key -> all.add(Arguments.of(script, List.of(key, "1"))));
                quantities.forEach(qty -> all.add(Arguments.of(script, List.of("new", qty))));
                all.add(Arguments.of(script, List.of("new")));
                all.add(Arguments.of(script, List.of()));
            }
            all.add(Arguments.of(Script.DEDUCT, List.of("new", "1", "other")));
            all.add(Arguments.of(Script.DEDUCT, List.of("new", "1", "other", "0")));
            all.add(Arguments.of(Script.DEDUCT, Collections.nCopies(2 * 257, "1")));
            all.add(Arguments.of(Script.REPAY, List.of("new", "1", "2")));
            keys.forEach(key -> {
                all.add(Arguments.of(Script.RESTORE, List.of("", "o-1", key)));
                all.add(Arguments.of(Script.ENTOMB, List.of(key)));
                all.add(Arguments.of(Script.STAGE, List.of("1", "o-2", "1", key, "1")));
                all.add(Arguments.of(Script.STAGE_FINISHED, List.of("1", "f-2", key)));
                all.add(Arguments.of(Script.SPILL, List.of(key, "7")));
                all.add(Arguments.of(Script.FIND, List.of(key)));
            });
            for (String bucket : List.of("x", "-1", "10000", "1.5", " 1")) {
                all.add(Arguments.of(Script.RESTORE, List.of(bucket, "o-1")));
                all.add(Arguments.of(Script.SPILL, List.of("o-1", bucket)));
            }
            all.add(Arguments.of(Script.SPILL, List.of("o-1", "")));
            all.add(Arguments.of(Script.RESTORE, List.of("")));
            all.add(Arguments.of(Script.RESTORE, Collections.nCopies(258, "")));
            for (Script script : Script.values()) {
                all.add(Arguments.of(script, Collections.nCopies(600, "1")));
            }
            quantities.forEach(qty -> all.add(Arguments.of(Script.STAGE, List.of("1", "o-2", qty))));
            all.add(Arguments.of(Script.STAGE, List.of("1", "o-2", "1", "o-2", "1")));
            for (Script script : Script.values()) {
                List<String> right = rightArguments(script);
                for (int i = 0; i < right.size(); i++) {
                    if (right.get(i).matches("\\d+")
                            && !Set.of(Script.SPILL, Script.STAGE, Script.SCAN, Script.OLD)
                                    .contains(script)) {
                        for (String number : numbers) {
                            List<String> args = new ArrayList<>(right);
                            args.set(i, number);
                            all.add(Arguments.of(script, args));
                        }
                    }
                }
            }
            all.add(Arguments.of(Script.RECOUNT, List.of("1", "11", "15", "4", "1", "1", "-1")));
            for (String cursor : List.of("", "x", "-1", "01", "1.5", "1e14", " 1", "1".repeat(21))) {
                all.add(Arguments.of(Script.SCAN, List.of(cursor)));
                all.add(Arguments.of(Script.OLD, List.of("spill", "0", cursor)));
            }
            numbers.forEach(age -> all.add(Arguments.of(Script.OLD, List.of("spill", age, "0"))));
            all.add(Arguments.of(Script.OLD, List.of("history", "0", "0")));
            all.add(Arguments.of(Script.FORGET, List.of("history", "0", "f-1")));
            all.add(Arguments.of(Script.FORGET, List.of("tombstone", "0")));
            all.add(Arguments.of(Script.REMOVE, List.of("1", "4", "1", "1")));
            all.add(Arguments.of(Script.HELD, List.of()));
            all.add(Arguments.of(Script.BEGIN, List.of("0")));
            all.add(Arguments.of(Script.FINISH, List.of("1", "3", "4", "1", "0")));
            all.add(Arguments.of(Script.FINISH, List.of("1", "10", "-4", "1", "0")));
            all.add(Arguments.of(Script.FINISH, List.of("1", "10", "4", "1", "2")));
            all.add(Arguments.of(Script.FINISH, List.of("1", "10", "4", "1", "0", "7/in")));
            all.add(Arguments.of(Script.FINISH, List.of("1", "10", "4", "1", "0", "epoch", "1")));
            for (Script script : List.of(Script.WITHDRAW, Script.DEPOSIT)) {
                all.add(Arguments.of(script, List.of("count", "1", "1")));
                all.add(Arguments.of(script, List.of("/" + "a".repeat(128), "1", "1")));
                all.add(Arguments.of(script, List.of("8/x", "-1", "1")));
                all.add(Arguments.of(script, List.of("8/x", "1", "0")));
            }
            return all;
        }

        @ParameterizedTest
        @FieldSource("WRONG")
        void failsWithoutATrace(Script script, List<String> args) {
            assertFailsWithoutATrace(script, args, bucket -> {}, "ERR ");
        }
    }

    @Nested
    class WhenAKeyIsOfAnotherType {

        /** These are replaced unread, whatever they are. */
        static final Set<String> REPLACED = Set.of("BEGIN load_history", "FINISH deduction_history");

        static Stream<Arguments> everyKeyOfEveryScript() {
            return Stream.of(Script.values())
                    .flatMap(script -> script.keys().stream()
                            .filter(key -> !REPLACED.contains(script + " " + key.suffix()))
                            .map(key -> Arguments.of(script, key)));
        }

        @ParameterizedTest
        @MethodSource("everyKeyOfEveryScript")
        void failsWithoutATrace(Script script, BucketKey key) {
            assertFailsWithoutATrace(
                    script,
                    rightArguments(script),
                    bucket -> {
                        probe.send(Command.DEL, key.of(bucket));
                        probe.send(Command.RPUSH, key.of(bucket), "a list");
                    },
                    "WRONGTYPE");
        }
    }

    @Nested
    class WhenANumberIsDamaged {

        static final Set<Script> READING_THE_BUCKET = Set.of(
                Script.DEDUCT,
                Script.RESTORE,
                Script.REPAY,
                Script.ENTOMB,
                Script.ADOPT,
                Script.RECOUNT,
                Script.WITHDRAW,
                Script.DEPOSIT,
                Script.CLOSE,
                Script.OPEN,
                Script.INSPECT,
                Script.FIND);

        static Stream<Arguments> damagedNumbers() {
            return READING_THE_BUCKET.stream()
                    .flatMap(script -> Stream.of("1e+14", "007", "-0", "ten", "", "1000000000000000", "5.0")
                            .map(number -> Arguments.of(script, number)));
        }

        @ParameterizedTest
        @MethodSource("damagedNumbers")
        void failsWithoutATraceIfItIsTheStock(Script script, String number) {
            assertFailsWithoutATrace(
                    script,
                    rightArguments(script),
                    bucket -> probe.send(Command.SET, BucketKey.STOCK.of(bucket), number),
                    "ERR stock");
        }

        @ParameterizedTest
        @MethodSource("damagedNumbers")
        void failsWithoutATraceIfItIsInTheBook(Script script, String number) {
            assertFailsWithoutATrace(
                    script,
                    rightArguments(script),
                    bucket -> probe.send(Command.HSET, BucketKey.BOOK.of(bucket), "deducted", number),
                    "ERR deducted");
        }

        @ParameterizedTest
        @EnumSource(names = {"DEDUCT", "RESTORE", "ADOPT", "WITHDRAW", "CLOSE", "INSPECT"})
        void failsWithoutATraceIfTheBookLostAField(Script script) {
            assertFailsWithoutATrace(
                    script,
                    rightArguments(script),
                    bucket -> probe.send(Command.HDEL, BucketKey.BOOK.of(bucket), "count"),
                    "ERR count");
        }

        @ParameterizedTest
        @EnumSource(names = {"RESTORE", "ENTOMB", "RECOUNT", "FIND"})
        void failsWithoutATraceIfItIsTheEntry(Script script) {
            assertFailsWithoutATrace(
                    script,
                    rightArguments(script),
                    bucket -> probe.send(Command.HSET, BucketKey.HISTORY.of(bucket), "o-1", "four"),
                    "ERR ");
        }

        @Test
        void countsADamagedEntryAsAnotherQuantityWhenItsKeyComesAgain() {
            // Given
            BucketId bucket = soldBucket();
            probe.send(Command.HSET, BucketKey.HISTORY.of(bucket), "o-1", "four");

            // When
            DeductAnswer answer = await(gate.deduct(bucket, key("o-1"), qty(4)));

            // Then
            assertEquals(DeductCode.KEY_REUSED, answer.code());
        }
    }

    @Nested
    class WhenRedisIsFull {

        @ParameterizedTest
        @EnumSource(
                names = {"INSPECT", "FIND", "SCAN", "HELD", "OLD"},
                mode = EnumSource.Mode.EXCLUDE)
        void refusesTheScriptAsAWhole(Script script) {
            try {
                assertFailsWithoutATrace(
                        script,
                        rightArguments(script),
                        bucket -> probe.send(Command.CONFIG, "SET", "maxmemory", 1),
                        "OOM");
            } finally {
                probe.send(Command.CONFIG, "SET", "maxmemory", 0);
            }
        }

        @Test
        void stillShowsTheBucketAndTellsCallersThatItIsUnavailable() {
            // Given
            BucketId bucket = soldBucket();
            probe.send(Command.CONFIG, "SET", "maxmemory", 1);
            try {
                // When
                GateUnavailable failure =
                        assertThrows(GateUnavailable.class, () -> await(gate.deduct(bucket, key("new"), qty(1))));
                Inspection seen = await(gate.inspect(bucket));

                // Then
                assertEquals("the gate answered OOM", failure.getMessage());
                assertEquals(11, seen.stock());
            } finally {
                probe.send(Command.CONFIG, "SET", "maxmemory", 0);
            }
            probe.assertSound(bucket);
        }
    }

    @Nested
    class WhenRedisForgotItsScripts {

        @ParameterizedTest
        @ValueSource(booleans = {false, true})
        void sendsTheTextAgain(boolean forgotten) {
            // Given
            BucketId bucket = soldBucket();
            if (forgotten) {
                probe.send(Command.SCRIPT, "FLUSH");
            }

            // When
            DeductCode code = await(gate.deduct(bucket, key("new"), qty(1))).code();
            RestoreAnswer answer =
                    await(gate.restore(bucket, List.of(key("new")))).get(0);

            // Then
            assertEquals(DeductCode.DEDUCTED, code);
            assertEquals(RestoreAnswer.RESTORED, answer);
            probe.assertSound(bucket);
        }
    }
}
