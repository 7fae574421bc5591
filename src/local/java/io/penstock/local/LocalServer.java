package io.penstock.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One running server, and what can be done to it: for fault tests it can be killed, stopped, paused and started again, on the
 * same port and with the data it had. All its state is in its folder, so that every class loader of this JVM can control it.
 * Methods return when what they do is done, and throw {@link LocalServersFailed} if it cannot be done. Not for several threads
 * at once.
 */
public final class LocalServer {

    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration END_LIMIT = Duration.ofSeconds(60);
    private static final int LOG_TAIL = 30;

    private final ServerKind kind;
    private final Path folder;
    private final int port;

    private LocalServer(ServerKind kind, Path folder, int port) {
        this.kind = kind;
        this.folder = folder;
        this.port = port;
    }

    /** Lays down a server that is not started yet. */
    static LocalServer create(ServerKind kind, Path parent, int port, ServerOptions options) throws IOException {
        Path folder = parent.resolve(kind.folderName());
        Unpacked.remove(folder);
        Files.createDirectory(folder);
        Files.writeString(folder.resolve("port"), Integer.toString(port));
        // The pid first, then the look at the folder's name: see Guard.
        Files.writeString(
                folder.resolve("run.sh"),
                "echo $$ >pid && [ -d " + Recipe.quoted(folder) + " ] || exit 1\n"
                        + kind.recipe().prepare(folder, port, options) + "\n");
        return new LocalServer(kind, folder, port);
    }

    /** A server that was created before, maybe by another class loader. */
    static Optional<LocalServer> in(Path parent, ServerKind kind) {
        Path folder = parent.resolve(kind.folderName());
        try {
            return Files.exists(folder.resolve("port"))
                    ? Optional.of(
                            new LocalServer(kind, folder, Integer.parseInt(Files.readString(folder.resolve("port")))))
                    : Optional.empty();
        } catch (IOException e) {
            throw new LocalServersFailed("Cannot read the port of " + kind.title() + " in " + folder + ".", e);
        }
    }

    public ServerKind kind() {
        return kind;
    }

    public String host() {
        return "127.0.0.1";
    }

    public int port() {
        return port;
    }

    /** Host and port with a colon between. */
    public String address() {
        return host() + ":" + port;
    }

    /** Where it works and has its data. */
    public Path folder() {
        return folder;
    }

    public Path log() {
        return folder.resolve("log");
    }

    /** The process id of the latest start. */
    public long pid() {
        try {
            return Long.parseLong(Files.readString(folder.resolve("pid")).strip());
        } catch (IOException | NumberFormatException e) {
            throw new LocalServersFailed(kind.title() + " in " + folder + " was never started.", e);
        }
    }

    public boolean isRunning() {
        return process().isPresent();
    }

    /** Starts it, again or for the first time, and returns when it takes requests. */
    public void start() {
        awaitAnswer(launch());
    }

    /** SIGKILL: what was not on its way to the disk is lost. */
    public void kill() {
        end("KILL");
    }

    /** SIGTERM: it shuts down properly. */
    public void stop() {
        end("TERM");
    }

    /** Stops it properly and starts it again. */
    public void restart() {
        stop();
        start();
    }

    /** SIGSTOP: it answers nothing, and its connections stay open. */
    public void pause() {
        signal("STOP");
    }

    /** SIGCONT: it goes on where it was paused. */
    public void resume() {
        signal("CONT");
    }

    /** Starts the process without waiting for the server. */
    Process launch() {
        if (isRunning()) {
            throw new LocalServersFailed(kind.title() + " runs already, as process " + pid() + ".");
        }
        try {
            Files.deleteIfExists(folder.resolve(Recipe.UP));
            return new ProcessBuilder("setsid", "sh", "run.sh")
                    .directory(folder.toFile())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new LocalServersFailed("Cannot start a process for " + kind.title() + ": " + e.getMessage(), e);
        }
    }

    void awaitAnswer(Process process) {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (true) {
            boolean answers = kind.recipe().answers(folder, port);
            if (!process.isAlive()) {
                throw new LocalServersFailed(kind.title() + " ended with exit code " + process.exitValue()
                        + " instead of listening on port " + port + ". " + logTail());
            }
            if (answers) {
                return;
            }
            if (System.nanoTime() > deadline) {
                kill();
                throw new LocalServersFailed(kind.title() + " did not answer on port " + port + " within "
                        + START_LIMIT.toSeconds() + " s. " + logTail());
            }
            waitFor(process, 20);
        }
    }

    boolean lostItsPort() {
        return logLines().stream().anyMatch(line -> line.contains("Address already in use"));
    }

    private static void waitFor(Process process, long millis) {
        try {
            process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServersFailed("Interrupted while waiting for a server.", e);
        }
    }

    private Optional<ProcessHandle> process() {
        return Files.exists(folder.resolve("pid"))
                ? ProcessHandle.of(pid()).filter(ProcessHandle::isAlive).filter(this::worksHere)
                : Optional.empty();
    }

    /** Numbers of dead processes are given out again. */
    private boolean worksHere(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"))
                    .startsWith(folder);
        } catch (IOException gone) {
            return false;
        }
    }

    private void end(String signal) {
        Optional<ProcessHandle> running = process();
        if (running.isEmpty()) {
            return;
        }
        // A paused process hears SIGTERM only when it goes on.
        signal(signal, "CONT");
        try {
            running.get().onExit().get(END_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new LocalServersFailed(
                    kind.title() + " still runs " + END_LIMIT.toSeconds() + " s after SIG" + signal + ". " + logTail());
        } catch (ExecutionException e) {
            throw new LocalServersFailed("Cannot wait for the end of " + kind.title() + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServersFailed("Interrupted while waiting for a server.", e);
        }
    }

    /** To the server and all it has started, which is its process group. */
    private void signal(String... signals) {
        long pid = process()
                .map(ProcessHandle::pid)
                .orElseThrow(() -> new LocalServersFailed(kind.title() + " does not run."));
        try {
            String kills = Stream.of(signals)
                    .map(signal -> "kill -s " + signal + " -- -" + pid)
                    .collect(Collectors.joining("; "));
            new ProcessBuilder("sh", "-c", kills)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new LocalServersFailed("Cannot signal " + kind.title() + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServersFailed("Interrupted while signalling a server.", e);
        }
    }

    private List<String> logLines() {
        try {
            return new String(Files.readAllBytes(log()), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            return List.of("(no log: " + e.getMessage() + ")");
        }
    }

    private String logTail() {
        List<String> lines = logLines();
        return "The end of its log:\n    "
                + String.join("\n    ", lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size()));
    }

    @Override
    public String toString() {
        return kind.title() + " on " + address();
    }
}
