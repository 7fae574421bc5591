package io.penstock.campaign;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A shop's side of the HTTP contract: what a client of Penstock sees, and nothing else. It asks its instances in turn. */
final class Shop {

    /**
     * What the service answered.
     *
     * @param status 0 if no answer came; then the body says why
     */
    record Answer(int status, JsonObject body) {

        boolean accepted() {
            return status == 201 || status == 200;
        }

        /** Neither yes nor no: the same key decides. */
        boolean unknown() {
            return status == 0 || status == 429 || status == 503 || status == 500;
        }

        boolean insufficient() {
            return status == 409 && body.getInteger("code", -1) == 1;
        }

        /** By an instance that is going. */
        boolean refusedUnread() {
            return status == 503 && body.isEmpty();
        }

        String outcome() {
            return body.getString("outcome");
        }
    }

    private static final int CLIENTS = 32;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private volatile int[] ports;
    private final AtomicInteger turn = new AtomicInteger();

    Shop(int... ports) {
        use(ports);
    }

    /** From now on it asks these. */
    void use(int... ports) {
        this.ports = ports;
    }

    Answer define(long sku, String code, long total, int buckets) {
        return call(
                "PUT",
                "" + sku,
                new JsonObject().put("skuCode", code).put("total", total).put("buckets", buckets));
    }

    Answer view(long sku) {
        return call("GET", "" + sku, null);
    }

    Answer adjust(long sku, String key, long delta) {
        return call(
                "POST",
                sku + "/adjustments",
                new JsonObject().put("adjustmentKey", key).put("delta", delta));
    }

    Answer merge(long sku) {
        return call("POST", sku + "/merge", null);
    }

    Answer setState(long sku, int bucketNo, String state) {
        return call("PUT", sku + "/buckets/" + bucketNo, new JsonObject().put("state", state));
    }

    Answer deduct(long sku, String key, int qty) {
        return call(
                "POST",
                sku + "/deductions",
                new JsonObject().put("deductKey", key).put("qty", qty));
    }

    Answer find(long sku, String key) {
        return call("GET", sku + "/deductions/" + key, null);
    }

    Answer rollBack(long sku, String key) {
        return call("POST", sku + "/deductions/" + key + "/rollback", new JsonObject());
    }

    /** One call for each input, from many clients at once; answers in the order of the inputs. */
    <T> List<Answer> rush(Collection<T> inputs, Function<T, Answer> call) {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (T input : inputs) {
                answers.add(CompletableFuture.supplyAsync(() -> call.apply(input), clients));
            }
            return answers.stream().map(CompletableFuture::join).toList();
        } finally {
            clients.shutdown();
        }
    }

    private Answer call(String method, String path, JsonObject body) {
        int[] known = ports;
        int port = known[Math.floorMod(turn.getAndIncrement(), known.length)];
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + "/v1/skus/" + path))
                .timeout(Duration.ofSeconds(20))
                .header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.encode()));
        try {
            HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.body().isEmpty() ? new JsonObject() : new JsonObject(response.body()));
        } catch (IOException e) {
            return new Answer(0, new JsonObject().put("reason", e.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
