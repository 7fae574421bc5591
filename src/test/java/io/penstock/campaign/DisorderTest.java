package io.penstock.campaign;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.gate.Gate;
import io.penstock.local.LocalServers;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.penstock.platform.Fence;
import io.penstock.platform.ProblemType;
import io.penstock.platform.Topic;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Ordering;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * 乱序: rollbacks before, between and after the steps of their deductions, and messages that come shuffled, twice and late. Whatever the order, the end is the same: each key sold at most once, given back once, and the gate has what the
 * ledger has.
 */
@QuarkusTest
class DisorderTest {

    private static final String CODE = "SKU_A";
    private static final int BUCKETS = 2;
    private static final int UNITS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ConfigProperty(name = "kafka.bootstrap.servers")
    String brokers;

    @Inject
    Gate gate;

    @Inject
    Fence fence;

    private KafkaProducer<String, byte[]> producer;
    private AtRest atRest;

    @BeforeEach
    void open() {
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers), new StringSerializer(), new ByteArraySerializer());
        atRest = new AtRest(LocalServers.forTests());
    }

    @AfterEach
    void close() {
        LocalServers.forTests().redis().resume();
        producer.close();
        atRest.close();
    }

    private static long newSku(Ordering ordering) {
        return switch (ordering) {
            case SPLIT -> Api.newSku(UNITS, BUCKETS);
            case ORDERED -> Api.newOrderedSku(UNITS, BUCKETS);
        };
    }

    // ---- The steps of a deduction, one by one ----

    /** The gate's step alone: Kafka is not told. */
    private void takeFromGate(long sku, int bucketNo, String key, int qty) {
        DeductKey deductKey = new DeductKey(key);
        assertEquals(
                DeductCode.DEDUCTED,
                gate.deduct(bucket(sku, bucketNo), deductKey, new Quantity(qty))
                        .await()
                        .atMost(PATIENCE)
                        .code());
        // Whichever is its home: the holder, or one that points there.
        gate.spill(bucket(sku, other(bucketNo)), deductKey, bucketNo).await().atMost(PATIENCE);
    }

    private static BucketId bucket(long sku, int bucketNo) {
        return new BucketId(new SkuId(sku), new SkuCode(CODE), bucketNo);
    }

    private static int other(int bucketNo) {
        return bucketNo == 1 ? 2 : 1;
    }

    private static byte[] deduction(long sku, int bucketNo, String key, int qty) {
        return bytes("{\"v\":1,\"type\":\"DEDUCT\",\"parts\":[{\"skuId\":" + sku + ",\"bucketNo\":" + bucketNo
                + ",\"epoch\":1,\"deductedAt\":\"2026-11-30T10:00:00Z\",\"deductions\":[{\"deductKey\":\"" + key
                + "\",\"qty\":" + qty + "}]}]}");
    }

    private static byte[] rollback(long sku, String key) {
        return bytes("{\"v\":1,\"type\":\"ROLLBACK\",\"deductKey\":\"" + key + "\",\"skuId\":" + sku + "}");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private RecordMetadata send(Topic topic, Integer partition, String key, byte[] value) {
        try {
            return producer.send(new ProducerRecord<>(topic.topicName(), partition, key, value))
                    .get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Kafka's step of a deduction. */
    private void tellKafka(Ordering ordering, long sku, int bucketNo, String key, int qty) {
        Topic topic = switch (ordering) {
            case SPLIT -> Topic.DEDUCT;
            case ORDERED -> Topic.ORDERED;
        };
        send(topic, null, key, deduction(sku, bucketNo, key, qty));
    }

    private static String path(long sku, String key) {
        return "/v1/skus/" + sku + "/deductions/" + key;
    }

    private static Answer rollBack(long sku, String key) {
        return Api.post(path(sku, key) + "/rollback");
    }

    private static JsonNode show(long sku, String key) {
        return Api.get(path(sku, key)).json();
    }

    private static void awaitEnd(String what, long sku, String key, Set<String> statuses) {
        await(what + " ends as one of " + statuses).atMost(PATIENCE).until(() -> {
            JsonNode shown = show(sku, key);
            return statuses.contains(shown.path("status").asText())
                    && !shown.path("credit").asText().equals("OWED");
        });
    }

    /** Everything sent before is in the ledger. */
    private void awaitConsumed() {
        long sku = Api.newSku(1, 0);
        for (int partition = 0; partition < 4; partition++) {
            String last = "last-" + UUID.randomUUID();
            send(Topic.ROLLBACK, partition, last, rollback(sku, last));
            awaitEnd(last, sku, last, Set.of("CANCELLED"));
        }
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            fence.pass(Duration.ofSeconds(10)).await().atMost(PATIENCE);
            return true;
        });
    }

    /** How often each change stands in the journal of a key. */
    private static long times(long sku, String key, String... changes) {
        JsonNode journal = Api.get(path(sku, key) + "?journal=true").ok(200).path("journal");
        return StreamSupport.stream(journal.spliterator(), false)
                .filter(line -> List.of(changes).contains(line.path("change").asText()))
                .count();
    }

    @Nested
    class WhenARollbackComes {

        @ParameterizedTest
        @EnumSource(Ordering.class)
        void beforeItsDeductionTheLateOneIsRefusedEverywhere(Ordering ordering) {
            // Given
            long sku = newSku(ordering);

            // When
            String outcome = rollBack(sku, "order-1").ok(200).path("outcome").asText();
            tellKafka(ordering, sku, 1, "order-1", 2);
            Answer retry = Api.deduct(sku, "order-1", 2);

            // Then
            assertEquals("CANCELLED", outcome);
            assertEquals(
                    "CANCELLED",
                    retry.problem(ProblemType.DEDUCTION_FINISHED)
                            .path("finished")
                            .asText());
            awaitConsumed();
            atRest.mustHold(sku, CODE, BUCKETS);
            assertEquals(UNITS, Api.view(sku).path("available").longValue());
        }

        @ParameterizedTest
        @EnumSource(Ordering.class)
        void betweenItsRedisAndItsKafkaStepTheUnitsGoBackOnce(Ordering ordering) {
            // Given
            long sku = newSku(ordering);
            takeFromGate(sku, 2, "order-1", 3);
            double outOfOrder = outOfOrderRollbacks();

            // When
            JsonNode answer = rollBack(sku, "order-1").ok(200);
            tellKafka(ordering, sku, 2, "order-1", 3);

            // Then
            assertEquals("CANCELLED", answer.path("outcome").asText());
            assertEquals(2, answer.path("bucketNo").intValue());
            assertEquals(3, answer.path("qty").intValue());
            awaitConsumed();
            atRest.mustHold(sku, CODE, BUCKETS);
            assertEquals(UNITS, Api.view(sku).path("available").longValue());
            assertTrue(outOfOrderRollbacks() > outOfOrder);
            Api.deduct(sku, "order-1", 3).problem(ProblemType.DEDUCTION_FINISHED);
        }

        private static double outOfOrderRollbacks() {
            return Api.get("/q/metrics")
                    .text()
                    .lines()
                    .filter(line -> line.startsWith("penstock_out_of_order_rollbacks_total"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        }

        @ParameterizedTest
        @EnumSource(Ordering.class)
        void longBeforeARetryTheKeyStaysFinished(Ordering ordering) {
            // Given
            long sku = newSku(ordering);
            Api.deduct(sku, "order-1", 2).ok(201);
            rollBack(sku, "order-1").ok(200);
            awaitConsumed();
            atRest.mustHold(sku, CODE, BUCKETS);

            // When
            Answer retry = Api.deduct(sku, "order-1", 2);
            tellKafka(ordering, sku, 1, "order-1", 2);
            tellKafka(ordering, sku, 2, "order-1", 2);

            // Then
            retry.problem(ProblemType.DEDUCTION_FINISHED);
            awaitConsumed();
            atRest.mustHold(sku, CODE, BUCKETS);
            assertEquals(UNITS, Api.view(sku).path("available").longValue());
        }

        @ParameterizedTest
        @EnumSource(Ordering.class)
        void fromEverywhereAtOnceItGivesTheUnitsOnce(Ordering ordering) {
            // Given a credit that is owed
            long sku = newSku(ordering);
            Api.deduct(sku, "order-1", 2).ok(201);
            awaitEnd("order-1", sku, "order-1", Set.of("DEDUCTED"));
            LocalServers.forTests().redis().pause();
            rollBack(sku, "order-1").ok(202);

            // When HTTP, both topics, operators and the sweeper come together
            LocalServers.forTests().redis().resume();
            List<CompletableFuture<?>> askers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                askers.add(CompletableFuture.supplyAsync(() -> rollBack(sku, "order-1")));
                askers.add(
                        CompletableFuture.supplyAsync(() -> Api.post("/v1/compensations/" + sku + "/order-1/retry")));
                askers.add(CompletableFuture.supplyAsync(
                        () -> send(Topic.ROLLBACK, null, "order-1", rollback(sku, "order-1"))));
                askers.add(CompletableFuture.supplyAsync(
                        () -> send(Topic.ORDERED, null, "order-1", rollback(sku, "order-1"))));
            }
            askers.forEach(CompletableFuture::join);

            // Then
            awaitConsumed();
            awaitEnd("order-1", sku, "order-1", Set.of("ROLLED_BACK"));
            atRest.mustHold(sku, CODE, BUCKETS);
            assertEquals(UNITS, Api.view(sku).path("available").longValue());
            assertEquals(1, times(sku, "order-1", "ROLLED_BACK"));
        }
    }

    /** A small sale, made from one seed. */
    private final class Sale {

        private enum Fate {
            SOLD,
            RETURNED,
            RETURNED_WITHOUT_DEDUCTION
        }

        private record Order(String key, int bucketNo, int qty, Fate fate) {}

        private static final int ORDERS = 12;

        private final Ordering ordering;
        private final long seed;
        private final Random random;
        private final long sku;
        private final List<Order> orders;

        /** The gate has taken everything; nothing else is done. */
        Sale(Ordering ordering, long seed) {
            this.ordering = ordering;
            this.seed = seed;
            this.random = new Random(seed);
            this.sku = newSku(ordering);
            this.orders = IntStream.range(0, ORDERS)
                    .mapToObj(i -> new Order(
                            "order-" + i,
                            1 + random.nextInt(BUCKETS),
                            1 + random.nextInt(9),
                            Fate.values()[random.nextInt(Fate.values().length)]))
                    .toList();
            orders.stream()
                    .filter(order -> order.fate() != Fate.RETURNED_WITHOUT_DEDUCTION)
                    .forEach(order -> takeFromGate(sku, order.bucketNo(), order.key(), order.qty()));
        }

        private List<Runnable> messages(Order order) {
            Runnable deduction = () -> tellKafka(ordering, sku, order.bucketNo(), order.key(), order.qty());
            return switch (order.fate()) {
                case SOLD -> List.of(deduction);
                case RETURNED -> List.of(deduction, rollback(order));
                case RETURNED_WITHOUT_DEDUCTION -> List.of(rollback(order));
            };
        }

        private Runnable rollback(Order order) {
            return random.nextInt(4) == 0
                    ? () -> rollBack(sku, order.key())
                    : () -> send(Topic.ROLLBACK, null, order.key(), DisorderTest.rollback(sku, order.key()));
        }

        /** In any order, each up to three times, and some only after all others have been consumed. */
        void deliverInAnyOrder() {
            List<Runnable> now = new ArrayList<>();
            List<Runnable> late = new ArrayList<>();
            for (Order order : orders) {
                for (Runnable message : messages(order)) {
                    int times = 1 + random.nextInt(3);
                    for (int i = 0; i < times; i++) {
                        (random.nextInt(4) == 0 ? late : now).add(message);
                    }
                }
            }
            Collections.shuffle(now, random);
            Collections.shuffle(late, random);
            now.forEach(Runnable::run);
            awaitConsumed();
            late.forEach(Runnable::run);
        }

        /** Keys in any order, a rollback behind its deduction; then each partition again from some offset on, as after a lost commit, several times. */
        void deliverInTheOrderOfEachKey() {
            List<List<byte[]>> waiting = new ArrayList<>();
            List<String> keys = new ArrayList<>();
            for (Order order : orders) {
                byte[] deduction = deduction(sku, order.bucketNo(), order.key(), order.qty());
                byte[] rollback = DisorderTest.rollback(sku, order.key());
                waiting.add(new ArrayList<>(
                        switch (order.fate()) {
                            case SOLD -> List.of(deduction);
                            // Repeats of either, in the places where they may stand.
                            case RETURNED -> List.of(deduction, deduction, rollback, rollback, deduction);
                            case RETURNED_WITHOUT_DEDUCTION -> List.of(rollback, rollback);
                        }));
                keys.add(order.key());
            }
            Map<Integer, List<Map.Entry<String, byte[]>>> delivered = new HashMap<>();
            while (!waiting.isEmpty()) {
                int next = random.nextInt(waiting.size());
                String key = keys.get(next);
                byte[] value = waiting.get(next).remove(0);
                int partition = send(Topic.ORDERED, null, key, value).partition();
                delivered.computeIfAbsent(partition, none -> new ArrayList<>()).add(Map.entry(key, value));
                if (waiting.get(next).isEmpty()) {
                    waiting.remove(next);
                    keys.remove(next);
                }
            }
            for (int again = 0; again < 2; again++) {
                delivered.forEach((partition, messages) -> messages.subList(
                                random.nextInt(messages.size()), messages.size())
                        .forEach(message -> send(Topic.ORDERED, partition, message.getKey(), message.getValue())));
            }
        }

        void mustHaveEnded(Set<String> returned) {
            String sale = ordering + " sale of seed " + seed + ", SKU " + sku + ": ";
            for (Order order : orders) {
                awaitEnd(
                        sale + order,
                        sku,
                        order.key(),
                        switch (order.fate()) {
                            case SOLD -> Set.of("DEDUCTED");
                            case RETURNED -> returned;
                            case RETURNED_WITHOUT_DEDUCTION -> Set.of("CANCELLED");
                        });
            }
            atRest.mustHold(sku, CODE, BUCKETS);
            int sold = orders.stream()
                    .filter(order -> order.fate() == Fate.SOLD)
                    .mapToInt(Order::qty)
                    .sum();
            assertEquals(UNITS - sold, Api.view(sku).path("available").longValue(), sale);
            for (Order order : orders) {
                assertTrue(times(sku, order.key(), "DEDUCTED") <= 1, sale + order);
                assertEquals(
                        order.fate() == Fate.SOLD ? 0 : 1,
                        times(sku, order.key(), "ROLLED_BACK", "CANCELLED"),
                        sale + order);
            }
        }
    }

    @Nested
    class WhenMessagesComeShuffledTwiceAndLate {

        private static final int SALES = 10;

        @Test
        void splitEndsTheSameWhateverTheOrder() {
            // Given
            List<Sale> sales = IntStream.range(0, SALES)
                    .mapToObj(seed -> new Sale(Ordering.SPLIT, seed))
                    .toList();

            // When
            sales.forEach(Sale::deliverInAnyOrder);

            // Then
            awaitConsumed();
            sales.forEach(sale -> sale.mustHaveEnded(Set.of("ROLLED_BACK", "CANCELLED")));
        }

        @Test
        void orderedEndsTheSameAndNoRollbackMissesItsDeduction() {
            // Given
            List<Sale> sales = IntStream.range(0, SALES)
                    .mapToObj(seed -> new Sale(Ordering.ORDERED, seed))
                    .toList();

            // When
            sales.forEach(Sale::deliverInTheOrderOfEachKey);

            // Then
            awaitConsumed();
            sales.forEach(sale -> sale.mustHaveEnded(Set.of("ROLLED_BACK")));
        }

        /** What the order protects from is harmless too: a SKU is as safe as with SPLIT. */
        @Test
        void orderedEndsWellEvenIfItsOrderIsLost() {
            // Given
            List<Sale> sales = IntStream.range(0, SALES)
                    .mapToObj(seed -> new Sale(Ordering.ORDERED, seed))
                    .toList();

            // When
            sales.forEach(Sale::deliverInAnyOrder);

            // Then
            awaitConsumed();
            sales.forEach(sale -> sale.mustHaveEnded(Set.of("ROLLED_BACK", "CANCELLED")));
        }
    }
}
