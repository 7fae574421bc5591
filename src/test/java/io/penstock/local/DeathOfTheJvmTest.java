package io.penstock.local;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM that started servers is gone, in every way it can go, and nothing of theirs is left. */
class DeathOfTheJvmTest {

    @TempDir
    Path temporary;

    @Test
    void byKillLeavesNothing() throws IOException {
        leavesNothing("servers", Process::destroyForcibly);
    }

    @Test
    void bySignalLeavesNothing() throws IOException {
        leavesNothing("servers", Process::destroy);
    }

    @Test
    void byKillWhileAServerIsPausedLeavesNothing() throws IOException {
        leavesNothing("paused", Process::destroyForcibly);
    }

    private interface Death {
        void of(Process process);
    }

    private void leavesNothing(String mode, Death death) throws IOException {
        // Given
        Path spaced = Files.createDirectory(temporary.resolve("a folder's name"));
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + spaced,
                        "-cp",
                        classPath(),
                        Servant.class.getName(),
                        mode)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<Long> pids = pids(jvm.inputReader());
        assertTrue(pids.stream().allMatch(DeathOfTheJvmTest::runs), pids.toString());

        // When
        death.of(jvm);

        // Then
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertFalse(pids.stream().anyMatch(DeathOfTheJvmTest::runs), "some of " + pids + " still run"));
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            try (Stream<Path> left = Files.list(spaced)) {
                assertFalse(left.anyMatch(path -> path.getFileName().toString().startsWith("penstock-local-")));
            }
        });
    }

    private static List<Long> pids(BufferedReader output) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(Servant.PIDS)) {
                return Arrays.stream(line.substring(Servant.PIDS.length()).split(" "))
                        .map(Long::valueOf)
                        .toList();
            }
        }
        throw new IOException("The JVM ended before its servers were up");
    }

    /** The whole class path: Surefire's own is one jar that points to it. */
    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Where the first process of the system collects no dead children, they stay as zombies, which run no more. */
    private static boolean runs(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException gone) {
            return false;
        }
    }

    /** The JVM that dies: starts Redis and the ledger, says so, and waits for its end. */
    static final class Servant {

        static final String PIDS = "pids ";

        private Servant() {}

        public static void main(String... arguments) throws IOException {
            LocalServers servers =
                    LocalServers.start(ServerOptions.onFreePorts().only(ServerKind.REDIS, ServerKind.LEDGER));
            if (arguments[0].equals("paused")) {
                servers.redis().pause();
            }
            System.out.println(
                    PIDS + servers.redis().pid() + " " + servers.ledger().pid());
            System.in.read();
        }
    }
}
