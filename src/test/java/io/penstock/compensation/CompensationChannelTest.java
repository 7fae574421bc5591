package io.penstock.compensation;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Debt;
import io.penstock.ledger.RollbackOrder;
import io.penstock.local.LocalServers;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.penstock.platform.ProblemType;
import io.penstock.platform.Topic;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The compensation channel: what the ledger could not decide is taken, written down, shown, and decided. No sweeper runs here: each debt stands until it is retried.
 *
 * <p>Flat, since a test profile and nested classes do not go together.
 */
@QuarkusTest
@TestProfile(CompensationChannelTest.WithoutSweeper.class)
class CompensationChannelTest {

    public static final class WithoutSweeper implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("penstock.schedules", "off", "penstock.compensation.alert-after", "2");
        }
    }

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @ConfigProperty(name = "kafka.bootstrap.servers")
    String brokers;

    @Inject
    CompensationLedger debts;

    private static String path(long sku, String key) {
        return "/v1/skus/" + sku + "/deductions/" + key;
    }

    private static Answer rollBack(long sku, String key) {
        return Api.post(path(sku, key) + "/rollback", "{\"reason\":\"changed his mind\"}");
    }

    private static void sold(long sku, String key) {
        Api.deduct(sku, key, 2).ok(201);
        awaitStatus(sku, key, "DEDUCTED");
    }

    private static void awaitStatus(long sku, String key, String status) {
        await().atMost(PATIENCE)
                .until(() -> status.equals(
                        Api.get(path(sku, key)).json().path("status").textValue()));
    }

    private static long available(long sku) {
        return Api.view(sku).path("available").longValue();
    }

    private static List<JsonNode> owed(long sku) {
        Answer page = Api.get("/v1/compensations?limit=1000&after=" + sku + "/0/CREDIT/-1");
        return StreamSupport.stream(page.ok(200).path("items").spliterator(), false)
                .filter(debt -> debt.path("skuId").longValue() == sku)
                .toList();
    }

    private static List<String> owedKinds(long sku) {
        return owed(sku).stream()
                .map(debt -> debt.path("kind").textValue() + " "
                        + debt.path("deductKey").textValue() + " " + debt.path("bucketNo"))
                .toList();
    }

    private static void awaitOwed(long sku, String... kinds) {
        await().atMost(PATIENCE).until(() -> owedKinds(sku), List.of(kinds)::equals);
    }

    private static void retry(long sku, String key) {
        assertEquals(
                202, Api.post("/v1/compensations/" + sku + "/" + key + "/retry").status());
    }

    private void send(String topic, String key, String value) {
        try (KafkaProducer<String, byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers), new StringSerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, key, value.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private void tell(String kind, long sku, String key, String more) {
        send(
                Topic.Name.COMPENSATION,
                key,
                "{\"v\":1,\"kind\":\"" + kind + "\",\"deductKey\":\"" + key + "\",\"skuId\":" + sku + more
                        + ",\"cause\":\"told by topic\"}");
    }

    @AfterEach
    void allAreBack() {
        LocalServers.forTests().all().forEach(server -> server.resume());
        await().atMost(PATIENCE).until(() -> Api.get("/q/health/ready").status() == 200);
    }

    @Test
    void aRollbackWhileTheLedgerHangsIsTakenShownAndDecidedOnce() {
        // Given
        long sku = Api.newSku(100, 0);
        sold(sku, "order-1");

        // When
        LocalServers.forTests().ledger().pause();
        Answer first = rollBack(sku, "order-1");
        Answer again = rollBack(sku, "order-1");
        LocalServers.forTests().ledger().resume();

        // Then
        JsonNode body = first.ok(202);
        assertEquals(Set.of("deductKey", "skuId", "outcome"), Api.fields(body));
        assertEquals("COMPENSATING", body.path("outcome").textValue());
        assertTrue(first.header("Location").endsWith(path(sku, "order-1")), first.header("Location"));
        again.ok(202);
        awaitOwed(sku, "ROLLBACK order-1 null");
        JsonNode debt = owed(sku).get(0);
        assertEquals(
                Set.of("kind", "skuId", "deductKey", "bucketNo", "qty", "attempts", "lastError", "nextAttempt"),
                Api.fields(debt));
        assertEquals(0, debt.path("attempts").intValue());

        // And when
        retry(sku, "order-1");

        // Then
        awaitStatus(sku, "order-1", "ROLLED_BACK");
        awaitOwed(sku);
        assertEquals(100, available(sku));
        assertEquals(100, Api.view(sku).path("ledgerAvailable").longValue());
        assertEquals(
                "ALREADY_ROLLED_BACK",
                rollBack(sku, "order-1").ok(200).path("outcome").textValue());
    }

    @Test
    void theJournalTellsWhoDecidedARollbackAndWhy() {
        // Given
        long sku = Api.newSku(100, 0);
        sold(sku, "order-1");
        LocalServers.forTests().ledger().pause();
        rollBack(sku, "order-1").ok(202);
        Api.post(path(sku, "order-2") + "/rollback").ok(202);
        LocalServers.forTests().ledger().resume();
        awaitOwed(sku, "ROLLBACK order-1 null", "ROLLBACK order-2 null");

        // When
        retry(sku, "order-1");
        retry(sku, "order-2");
        awaitOwed(sku);

        // Then
        assertEquals("ROLLED_BACK compensation changed his mind", journalled(sku, "order-1", 1));
        assertEquals("CANCELLED compensation The ledger did not answer in time.", journalled(sku, "order-2", 0));
        assertEquals(100, available(sku));
    }

    private static String journalled(long sku, String key, int line) {
        JsonNode entry = Api.get(path(sku, key) + "?journal=true")
                .ok(200)
                .path("journal")
                .path(line);
        return entry.path("change").textValue() + " " + entry.path("by").textValue() + " "
                + entry.path("why").textValue();
    }

    @Test
    void aRollbackByTopicWhileTheLedgerHangsIsTakenTooAndNothingIsADeadLetter() {
        // Given
        long sku = Api.newSku(100, 0);
        sold(sku, "order-1");
        double deadLetters = deadLetters();
        double compensating = compensating();

        // When
        LocalServers.forTests().ledger().pause();
        send(
                Topic.Name.ROLLBACK,
                "order-1",
                "{\"v\":1,\"deductKey\":\"order-1\",\"skuId\":" + sku + ",\"reason\":\"cancelled\"}");
        await().atMost(PATIENCE).until(() -> compensating() > compensating);
        LocalServers.forTests().ledger().resume();

        // Then
        awaitOwed(sku, "ROLLBACK order-1 null");
        retry(sku, "order-1");
        awaitStatus(sku, "order-1", "ROLLED_BACK");
        await().until(() -> available(sku) == 100);
        assertEquals(deadLetters, deadLetters());
    }

    private static double deadLetters() {
        return metric("penstock_dead_letters_total");
    }

    private static double compensating() {
        return metric("penstock_rollbacks_total{outcome=\"COMPENSATING\"}");
    }

    private static double metric(String name) {
        return Api.get("/q/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void aRollbackWhileLedgerAndKafkaHangIsNotTaken() {
        // Given
        long sku = Api.newSku(100, 0);
        sold(sku, "order-1");

        // When
        LocalServers.forTests().kafka().pause();
        LocalServers.forTests().ledger().pause();
        Answer answer = rollBack(sku, "order-1");
        LocalServers.forTests().kafka().resume();
        LocalServers.forTests().ledger().resume();

        // Then
        answer.problem(ProblemType.UNAVAILABLE);
        assertEquals("1", answer.header("Retry-After"));

        // And when it is asked for again
        await().atMost(PATIENCE).until(() -> Api.get("/q/health/ready").status() == 200);
        rollBack(sku, "order-1").ok(200);

        // Then
        awaitStatus(sku, "order-1", "ROLLED_BACK");
        await().until(() -> available(sku) == 100);
    }

    @Test
    void whatOthersTellIsWrittenDownOnceWhateverIsRepeated() {
        // Given
        long sku = Api.newSku(100, 2);

        // When
        tell("ROLLBACK", sku, "order-1", ",\"bucketNo\":2");
        tell("STRAY", sku, "order-1", ",\"bucketNo\":2");
        tell("STRAY", sku, "order-1", ",\"bucketNo\":2");
        tell("ROLLBACK", sku, "order-1", "");

        // Then
        awaitOwed(sku, "ROLLBACK order-1 null", "STRAY order-1 2");

        // And when
        retry(sku, "order-1");

        // Then
        awaitOwed(sku);
        awaitStatus(sku, "order-1", "CANCELLED");
    }

    @Test
    void aCreditThatNobodyOwesIsPassedOver() {
        // Given
        long sku = Api.newSku(100, 0);
        sold(sku, "order-1");

        // When
        tell("CREDIT", sku, "order-1", "");
        tell("ROLLBACK", sku, "order-1", "");

        // Then
        awaitOwed(sku, "ROLLBACK order-1 null");
        assertEquals(98, available(sku));
    }

    private final Queue<LogRecord> logged = new ConcurrentLinkedQueue<>();
    private final Handler listener = new Handler() {
        @Override
        public void publish(LogRecord record) {
            logged.add(record);
        }

        @Override
        public void flush() {
            // Nothing is held back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    @Test
    void aDebtThatCannotBeGivenIsKeptWithItsLastErrorAndAlertedEachTimeItsAttemptsDouble() {
        // Given a rollback that no retry can decide
        SkuId unknown = new SkuId(Api.newSkuId());
        debts.oweRollbacks(List.of(new RollbackOrder(unknown, new DeductKey("order-1"), "http", null)))
                .await()
                .atMost(PATIENCE);
        Logger log = Logger.getLogger(Sweeper.class.getName());
        log.addHandler(listener);

        // When
        for (int attempts = 1; attempts <= 9; attempts++) {
            int expected = attempts;
            retry(unknown.value(), "order-1");
            await().until(() -> owed(unknown.value()).get(0).path("attempts").intValue() == expected);
        }
        log.removeHandler(listener);

        // Then
        assertEquals(
                "There is no SKU " + unknown + ".",
                owed(unknown.value()).get(0).path("lastError").textValue());
        List<String> alerts = new ArrayList<>();
        logged.stream()
                .filter(record -> record.getLevel().intValue() >= Level.SEVERE.intValue())
                .forEach(record -> alerts.add(record.getMessage()));
        assertEquals(List.of(alert(unknown, 2), alert(unknown, 4), alert(unknown, 8)), alerts);
        Debt debt = debts.of(unknown, new DeductKey("order-1"))
                .await()
                .atMost(PATIENCE)
                .get(0);
        debts.given(debt).await().atMost(PATIENCE);
    }

    private static String alert(SkuId sku, int attempts) {
        return "debt still not given kind=ROLLBACK sku=" + sku + " key=order-1 attempts=" + attempts
                + " reason=There is no SKU " + sku + ".";
    }
}
