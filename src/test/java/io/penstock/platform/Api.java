package io.penstock.platform;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.restassured.RestAssured;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Calls the service as its clients do, byte by byte where that matters. */
public final class Api {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicLong NEXT_SKU = new AtomicLong(System.currentTimeMillis() * 1_000 + 500_000);

    /** What no client may learn from a problem. */
    private static final Pattern INSIDE = Pattern.compile(
            "Exception|\\bjava\\.|io\\.penstock|io\\.vertx|jackson|\\bat [a-z]+\\.|SELECT |INSERT |UPDATE |localhost|127\\.0\\.0\\.1|RESTEASY|StreamRead");

    private Api() {}

    public record Answer(int status, HttpHeaders headers, String text) {

        public JsonNode json() {
            try {
                return JSON.readTree(text);
            } catch (IOException e) {
                throw new AssertionError("no JSON: " + text, e);
            }
        }

        public String header(String name) {
            return headers.firstValue(name).orElse(null);
        }

        /** The body, if the answer is of this status. */
        public JsonNode ok(int expected) {
            assertEquals(expected, status, text);
            assertEquals("application/json", header("Content-Type").split(";")[0]);
            return json();
        }

        /** The body, if the answer is this problem, complete and discreet. */
        public JsonNode problem(ProblemType type) {
            assertEquals(type.status(), status, text);
            assertEquals("application/problem+json", header("Content-Type"), text);
            JsonNode problem = json();
            assertAll(
                    () -> assertEquals(
                            "/problems/" + type.slug(), problem.path("type").textValue()),
                    () -> assertEquals(type.title(), problem.path("title").textValue()),
                    () -> assertEquals(type.status(), problem.path("status").intValue()),
                    () -> assertFalse(problem.path("detail").asText().isBlank(), text),
                    () -> assertEquals("/", problem.path("instance").asText().substring(0, 1)),
                    () -> assertFalse(INSIDE.matcher(text).find(), text));
            return problem;
        }

        /** The problem {@code invalid-request}, if this field is what is wrong. */
        public JsonNode violation(String field) {
            JsonNode problem = problem(ProblemType.INVALID_REQUEST);
            assertEquals(Set.of("type", "title", "status", "detail", "instance", "violations"), fields(problem));
            assertEquals(1, problem.path("violations").size(), text);
            JsonNode violation = problem.path("violations").path(0);
            assertEquals(field, violation.path("field").textValue(), text);
            assertEquals(Set.of("field", "message"), fields(violation));
            assertFalse(violation.path("message").asText().isBlank(), text);
            return problem;
        }
    }

    public static Set<String> fields(JsonNode object) {
        Set<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    public static Answer get(String path, String... headers) {
        return send("GET", path, BodyPublishers.noBody(), headers);
    }

    public static Answer put(String path, String json) {
        return json("PUT", path, json.getBytes(StandardCharsets.UTF_8));
    }

    public static Answer post(String path, String json) {
        return json("POST", path, json.getBytes(StandardCharsets.UTF_8));
    }

    /** Without a body and without its media type. */
    public static Answer post(String path) {
        return send("POST", path, BodyPublishers.noBody());
    }

    public static Answer json(String method, String path, byte[] body) {
        return send(method, path, BodyPublishers.ofByteArray(body), "Content-Type", "application/json");
    }

    public static Answer send(String method, String path, BodyPublisher body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + RestAssured.port + path))
                .timeout(PATIENCE)
                .method(method, body);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        try {
            var response = CLIENT.send(request.build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.headers(), response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** A request line that no HTTP library would send; the whole answer as text. */
    public static String raw(String method, String target, String... headers) {
        try (Socket socket = new Socket("localhost", RestAssured.port)) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            String request = method + " " + target
                    + " HTTP/1.1\r\nHost: penstock\r\nConnection: close\r\nContent-Length: 0\r\n"
                    + Stream.of(headers).map(header -> header + "\r\n").collect(Collectors.joining()) + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A number that no other test uses. */
    public static long newSkuId() {
        return NEXT_SKU.incrementAndGet();
    }

    /** A new SKU in so many buckets. */
    public static long newSku(long total, int buckets) {
        return define("\"total\":" + total + ",\"buckets\":" + buckets);
    }

    /** The same, with ordering ORDERED. */
    public static long newOrderedSku(long total, int buckets) {
        return define("\"ordering\":\"ORDERED\",\"total\":" + total + ",\"buckets\":" + buckets);
    }

    /** A new SKU that the ledger alone sells. */
    public static long newSku(long total, String strategy) {
        return define("\"total\":" + total + ",\"buckets\":0,\"strategy\":\"" + strategy + "\"");
    }

    /** Again, if in doubt: a slow machine may answer 503. */
    private static long define(String fields) {
        long skuId = newSkuId();
        await().atMost(PATIENCE)
                .until(() -> put("/v1/skus/" + skuId, "{\"skuCode\":\"SKU_A\"," + fields + "}")
                                .status()
                        < 300);
        return skuId;
    }

    public static Answer deduct(long skuId, String key, long qty) {
        return post("/v1/skus/" + skuId + "/deductions", "{\"deductKey\":\"" + key + "\",\"qty\":" + qty + "}");
    }

    public static JsonNode view(long skuId) {
        return get("/v1/skus/" + skuId).ok(200);
    }
}
