package io.penstock.local;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Something to sell right after the start. It goes through the running service by HTTP as anybody's would, then the terminal
 * says what runs where and what to try. Once per JVM, however often dev mode reloads.
 */
final class DemoSku {

    private static final String DONE = "penstock.local.demo";
    private static final String PATH = "/v1/skus/1001";
    private static final String DEFINITION = """
            {"skuCode":"SKU_A","total":10000,"buckets":5}""";
    private static final int ATTEMPTS = 30;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String base;
    private final LocalServers servers;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    private DemoSku(int port, LocalServers servers) {
        this.base = "http://localhost:" + port;
        this.servers = servers;
    }

    /** Returns at once; the rest happens on a daemon thread. */
    static void offer(int port, LocalServers servers) {
        if (System.getProperty(DONE) != null) {
            return;
        }
        Thread thread = new Thread(() -> new DemoSku(port, servers).createAndTell(), "demo-sku");
        thread.setDaemon(true);
        thread.start();
    }

    private void createAndTell() {
        try {
            String result = create();
            System.setProperty(DONE, "done");
            System.out.println(banner(result));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One line on how it went. What may pass, no connection and 503, is tried again for half a minute. */
    private String create() throws InterruptedException {
        String last = "";
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                HttpResponse<String> response = http.send(
                        HttpRequest.newBuilder(URI.create(base + PATH))
                                .timeout(Duration.ofSeconds(10))
                                .header("Content-Type", "application/json")
                                .PUT(HttpRequest.BodyPublishers.ofString(DEFINITION))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                int status = response.statusCode();
                if (status == 200 || status == 201) {
                    return "SKU 1001 (SKU_A) is there to be sold: 10000 units in 5 buckets.";
                }
                last = "PUT " + PATH + " answered " + status + " "
                        + response.body().lines().findFirst().orElse("");
                if (status != 503 && status != 429) {
                    break;
                }
            } catch (IOException e) {
                last = e.toString();
            }
            Thread.sleep(PAUSE.toMillis());
        }
        return "The demo SKU could not be created: " + last.strip();
    }

    private String banner(String result) {
        StringBuilder text =
                new StringBuilder("\n  Penstock runs on ").append(base).append(", security off\n");
        for (LocalServer server : servers.all()) {
            text.append("    %-15s %s  pid %d%n".formatted(server.kind().title(), server.address(), server.pid()));
        }
        return text.append("""
                            data and logs   %1$s (removed at the end)

                          %3$s

                          look      curl -s %2$s/v1/skus/1001
                          sell      curl -s %2$s/v1/skus/1001/deductions -H 'Content-Type: application/json' -d '{"deductKey":"order-1","qty":2}'
                          take back curl -s -X POST %2$s/v1/skus/1001/deductions/order-1/rollback
                          browse    %2$s/q/swagger-ui
                        """.formatted(servers.folder(), base, result)).toString();
    }
}
