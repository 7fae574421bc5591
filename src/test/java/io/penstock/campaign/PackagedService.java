package io.penstock.campaign;

import static org.awaitility.Awaitility.await;

import io.penstock.local.LocalServers;
import io.penstock.local.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The packaged service as a process of its own, so that it can die. Started again, it has the port and the variables it had. */
final class PackagedService implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final int port;
    private final Map<String, String> environment;
    private final Path log;
    private Process process;

    private PackagedService(int port, Map<String, String> environment) {
        this.port = port;
        this.environment = environment;
        this.log = Path.of("target", "packaged-service-" + port + ".log");
    }

    /** Starts it against the servers, and waits until it is ready. */
    static PackagedService start(LocalServers servers) throws IOException {
        return start(servers, Map.of());
    }

    /** The same, with variables of its own. */
    static PackagedService start(LocalServers servers, Map<String, String> variables) throws IOException {
        PackagedService service = launch(servers, variables);
        service.awaitReady();
        return service;
    }

    /** Starts it with options for its JVM, and does not wait. */
    static PackagedService launch(LocalServers servers, Map<String, String> variables, String... options)
            throws IOException {
        int port = Ports.free();
        Map<String, String> environment = new HashMap<>(servers.environment());
        environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
        // No balancer has to see that it is going.
        environment.put("QUARKUS_SHUTDOWN_DELAY", "0s");
        environment.putAll(variables);
        PackagedService service = new PackagedService(port, environment);
        Files.deleteIfExists(service.log);
        service.launchAgain(options);
        return service;
    }

    /** After its end; does not wait until it is ready. */
    void launchAgain(String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Several of them start, and start again, on a machine that runs three servers besides.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(List.of(options));
        command.addAll(List.of("-jar", "target/quarkus-app/quarkus-run.jar"));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        process = builder.start();
    }

    void awaitReady() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(this::isReadyOrDead);
    }

    /** It answers, though it may not be ready. */
    void awaitAlive() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> answers("/q/health/live"));
    }

    int port() {
        return port;
    }

    boolean isRunning() {
        return process.isAlive();
    }

    /** What it has written so far, in all its lives. */
    String log() throws IOException {
        return Files.readString(log);
    }

    /** Ready to sell, by its own word. */
    boolean isReady() {
        return answers("/q/health/ready");
    }

    private boolean isReadyOrDead() {
        if (!process.isAlive()) {
            throw new IllegalStateException("the service ended with " + process.exitValue() + ": see " + log);
        }
        return isReady();
    }

    private boolean answers(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofSeconds(10))
                .build();
        try {
            return HTTP.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** SIGSTOP: it answers nothing, and holds what it has. */
    void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT: it goes on as if no time had passed. */
    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill -" + signal + " ended with " + exit);
        }
    }

    /** SIGTERM; returns its exit code. */
    int stop() throws InterruptedException {
        process.destroy();
        return process.waitFor();
    }

    /** Waits until it has ended by itself; its exit code. */
    int awaitEnd() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("the service still runs: see " + log);
        }
        return process.exitValue();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            kill();
        }
    }
}
