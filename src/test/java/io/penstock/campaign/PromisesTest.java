package io.penstock.campaign;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.penstock.campaign.AtRest.FlowRow;
import io.penstock.campaign.Shop.Answer;
import io.penstock.local.LocalServers;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.json.JsonObject;
import io.vertx.redis.client.Command;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The checks of the campaigns can fail: a sale that went well shows nothing, and each breach shows as what it is. */
@QuarkusTest
class PromisesTest {

    private static final Duration WHILE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SOME = 5;
    private static long nextSku = 780_000;

    @ConfigProperty(name = "quarkus.http.test-port")
    int port;

    private final LocalServers servers = LocalServers.forTests();
    private long sku;
    private AtRest atRest;
    private OutcomeMessages outcomes;
    private RollbackMessages messages;
    private Promises promises;

    @BeforeEach
    void defineASku() {
        sku = ++nextSku;
        assertEquals(
                201,
                new Shop(port).define(sku, Sale.CODE, Sale.TOTAL, Sale.BUCKETS).status());
        atRest = new AtRest(servers);
        outcomes = new OutcomeMessages(servers.kafka().address(), sku);
        messages = new RollbackMessages(servers.kafka().address(), sku);
        promises = new Promises(atRest, outcomes, false);
    }

    @AfterEach
    void close() {
        messages.close();
        outcomes.close();
        atRest.close();
    }

    private Sale saleAt(int shop) throws InterruptedException {
        try (Sale sale = new Sale(1, sku, new Shop(shop), messages)) {
            sale.open();
            sale.goOn(WHILE);
            // A busy machine takes longer to see some of each kind.
            sale.goOnUntil(() -> hasSomeOf(sale, Order.Plan.values()), PATIENCE);
            sale.close(PATIENCE);
            sale.decideAll();
            return sale;
        }
    }

    @Test
    void whatIsWrongInTheServersIsFound() throws Exception {
        // Given
        Sale sale = saleAt(port);
        await().atMost(PATIENCE).untilAsserted(() -> assertEquals(List.of(), promises.broken(sale)));
        Map<String, FlowRow> flows;
        try (Connection ledger = atRest.ledgerAtOneInstant()) {
            flows = AtRest.flows(ledger, sku);
        }
        String kept = keyOf(sale, Order.Plan.KEEP, flows::containsKey);
        String returned = keyOf(sale, Order.Plan.RETURN, flows::containsKey);
        String nonsense = keyOf(sale, Order.Plan.NONSENSE, key -> true);
        String ofReturned = " WHERE sku_id = " + sku + " AND deduct_key = '" + returned + "'";
        String ofKept = " WHERE sku_id = " + sku + " AND deduct_key = '" + kept + "'";
        int bucket = flows.get(kept).bucketNo();

        assertAll(
                wrong(sale, "UPDATE stock_deduct_flow SET status = 'ROLLED_BACK'" + ofKept, "accepted, and not kept"),
                wrong(
                        sale,
                        "UPDATE stock_deduct_flow SET status = 'ROLLED_BACK'" + ofKept,
                        "the order system was told"),
                wrong(sale, "UPDATE stock_deduct_flow SET qty = qty + 1" + ofKept, "sold with another qty"),
                wrong(
                        sale,
                        "UPDATE stock_deduct_flow SET bucket_no = 5 - bucket_no" + ofKept,
                        "sold from another bucket"),
                wrong(sale, "DELETE FROM stock_deduct_flow" + ofKept, "accepted, and not kept"),
                wrong(
                        sale,
                        "UPDATE stock_deduct_flow SET status = 'DEDUCTED', bucket_no = 1, qty = 1" + ofReturned,
                        "not given back"),
                wrong(
                        sale,
                        "UPDATE stock_deduct_flow SET status = IF(status = 'CANCELLED', 'ROLLED_BACK', 'CANCELLED')"
                                + ofReturned,
                        "answer is not true"),
                wrong(sale, "UPDATE stock_deduct_flow SET credit = 'OWED'" + ofReturned, "credits are owed"),
                wrong(
                        sale,
                        "UPDATE stock_deduct_flow SET deduct_key = '" + nonsense + "'" + ofKept,
                        "refused, and left a trace"),
                wrong(
                        sale,
                        "UPDATE sku_bucket SET allotted = allotted + 1 WHERE bucket_no = 1 AND sku_id = " + sku,
                        "adjusted to"),
                wrong(
                        sale,
                        "UPDATE sku_bucket SET available = available - 1 WHERE bucket_no = 1 AND sku_id = " + sku,
                        "available is allotted less sold"),
                wrong(
                        sale,
                        "INSERT INTO stock_journal (sku_id, deduct_key, changed, changed_by) VALUES (" + sku + ", '"
                                + kept + "', 'DEDUCTED', 'somebody')",
                        "its birth once"),
                wrong(sale, Command.INCRBY, Command.DECRBY, List.of(Sale.key(sku, bucket, "stock"), 1), "gate's stock"),
                wrong(
                        sale,
                        Command.HSET,
                        Command.HDEL,
                        List.of(Sale.key(sku, bucket, "deduction_history"), "foreign", 1),
                        "which is not sold"));
    }

    /** In a transaction of the test, which is undone. */
    private Executable wrong(Sale sale, String change, String expected) {
        return () -> {
            try (Connection ledger = atRest.ledgerAtOneInstant();
                    Statement statement = ledger.createStatement()) {
                assertTrue(statement.executeUpdate(change) > 0, change);
                assertShows(expected, promises.broken(sale, ledger));
                ledger.rollback();
            }
        };
    }

    private Executable wrong(Sale sale, Command change, Command back, List<Object> arguments, String expected) {
        return () -> {
            try (PlainRedis redis = new PlainRedis(servers.redis().address())) {
                redis.send(change, arguments.toArray());
                try {
                    assertShows(expected, promises.broken(sale));
                } finally {
                    redis.send(back, (back == Command.HDEL ? arguments.subList(0, 2) : arguments).toArray());
                }
            }
        };
    }

    private static void assertShows(String expected, List<String> broken) {
        assertTrue(broken.stream().anyMatch(what -> what.contains(expected)), expected + ", but: " + broken);
    }

    /** Answers everything, and does nothing. */
    private static HttpServer liar(BiFunction<String, Integer, Answer> answers) throws IOException {
        HttpServer liar = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Map<String, Integer> asked = new ConcurrentHashMap<>();
        liar.createContext("/", exchange -> {
            String request = exchange.getRequestURI().getPath()
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            answer(exchange, answers.apply(request, asked.merge(request, 1, Integer::sum)));
        });
        liar.setExecutor(Executors.newCachedThreadPool());
        liar.start();
        return liar;
    }

    private static void answer(HttpExchange exchange, Answer answer) throws IOException {
        byte[] body = answer.body().encode().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private List<String> brokenBy(BiFunction<String, Integer, Answer> answers) throws Exception {
        HttpServer liar = liar(answers);
        try {
            return promises.broken(saleAt(liar.getAddress().getPort()));
        } finally {
            liar.stop(0);
        }
    }

    private static Answer of(int status) {
        return new Answer(status, new JsonObject().put("outcome", "ROLLED_BACK"));
    }

    @Test
    void answersThatAreNotTrueAreFound() throws Exception {
        // When
        List<String> broken = brokenBy((request, times) -> of(request.endsWith("rollback{}") ? 200 : 201));

        // Then
        assertAll(Stream.of(
                        "accepted, and not kept",
                        "not given back",
                        "answer is not true",
                        "deducted twice",
                        "deducted after its rollback was done",
                        "another qty was not refused",
                        "nonsense was not refused",
                        "adjusted to")
                .map(expected -> () -> assertShows(expected, broken)));
    }

    @Test
    void anAcceptedKeyThatIsForgottenIsFound() throws Exception {
        // When
        List<String> broken =
                brokenBy((request, times) -> times == 1 ? of(201) : new Answer(409, new JsonObject().put("code", 1)));

        // Then
        assertShows("an accepted key was forgotten", broken);
    }

    @Test
    void anAnswerThatNobodyKnowsIsFound() throws Exception {
        // When
        List<String> broken = brokenBy((request, times) -> of(times == 1 ? 500 : 409));

        // Then
        assertAll(
                () -> assertShows("never to be answered", broken),
                () -> assertShows("an adjustment was not decided", brokenBy((request, times) -> of(404))));
    }

    private static boolean hasSomeOf(Sale sale, Order.Plan... plans) {
        return Stream.of(plans)
                .allMatch(plan -> sale.orders().stream()
                                .filter(order -> order.plan() == plan)
                                .count()
                        >= SOME);
    }

    private static String keyOf(Sale sale, Order.Plan plan, Predicate<String> found) {
        return sale.orders().stream()
                .filter(order -> order.plan() == plan)
                .map(Order::key)
                .filter(found)
                .findFirst()
                .orElseThrow();
    }
}
