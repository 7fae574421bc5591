package io.penstock.campaign;

import static org.awaitility.Awaitility.await;

import io.penstock.local.LocalServers;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The packaged service as a process of its own, so that it can die. */
final class PackagedService implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final int port;
    private final Process process;

    private PackagedService(int port, Process process) {
        this.port = port;
        this.process = process;
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

    /** Starts it, and does not wait. */
    static PackagedService launch(LocalServers servers, Map<String, String> variables) throws IOException {
        int port = freePort();
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Path log = Path.of("target", "packaged-service-" + port + ".log");
        ProcessBuilder command = new ProcessBuilder(
                        List.of(java.toString(), "-jar", "target/quarkus-app/quarkus-run.jar"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        command.environment().putAll(servers.environment());
        command.environment().put("QUARKUS_HTTP_PORT", Integer.toString(port));
        command.environment().putAll(variables);
        return new PackagedService(port, command.start());
    }

    void awaitReady() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(this::isReady);
    }

    /** It answers, though it may not be ready. */
    void awaitAlive() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> answers("/q/health/live"));
    }

    /** Waits until it has ended by itself; what it printed. */
    String awaitEnd() throws IOException {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> !process.isAlive());
        return Files.readString(Path.of("target", "packaged-service-" + port + ".log"));
    }

    int exitCode() {
        return process.exitValue();
    }

    int port() {
        return port;
    }

    private boolean isReady() throws InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    "the service ended with " + process.exitValue() + ": see target/packaged-service-" + port + ".log");
        }
        return answers("/q/health/ready");
    }

    private boolean answers(String path) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofSeconds(10))
                .build();
        try {
            return HttpClient.newHttpClient()
                            .send(request, BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            kill();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
