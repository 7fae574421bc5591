package io.penstock.campaign;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.local.LocalServers;
import io.penstock.local.ServerOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Debts outlive whoever made them: the service is killed while it owes, and the next one gives. */
class CompensationIT {

    private static final long SKU = 750_001;
    private static final String CODE = "OWED";
    private static final int BUCKETS = 3;
    private static final int ORDERS = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static List<String> keys(String prefix) {
        return IntStream.range(0, ORDERS).mapToObj(i -> prefix + i).toList();
    }

    private static Set<Integer> statuses(List<Shop.Answer> answers) {
        return Set.copyOf(answers.stream().map(Shop.Answer::status).toList());
    }

    private static void awaitStatus(Shop shop, List<String> keys, String status) {
        await().atMost(PATIENCE)
                .until(() -> keys.stream()
                        .allMatch(
                                key -> status.equals(shop.find(SKU, key).body().getString("status"))));
    }

    @Test
    void rollbacksTakenWhileTheLedgerWasDeadEndOnceThoughTheServiceDiesToo() throws Exception {
        try (LocalServers servers = LocalServers.start(ServerOptions.onFreePorts());
                AtRest atRest = new AtRest(servers)) {
            List<String> sold = keys("sold-");
            List<String> kept = keys("kept-");
            List<String> never = keys("never-");

            // Given a service that dies after it has taken rollbacks, some of them twice, that the dead ledger could
            // not decide
            try (PackagedService doomed = PackagedService.start(servers)) {
                Shop shop = new Shop(doomed.port());
                shop.define(SKU, CODE, 1_000, BUCKETS);
                assertEquals(Set.of(201), statuses(shop.rush(sold, key -> shop.deduct(SKU, key, 2))));
                assertEquals(Set.of(201), statuses(shop.rush(kept, key -> shop.deduct(SKU, key, 1))));
                awaitStatus(shop, sold, "DEDUCTED");
                servers.ledger().kill();
                assertEquals(Set.of(202), statuses(shop.rush(sold, key -> shop.rollBack(SKU, key))));
                assertEquals(Set.of(202), statuses(shop.rush(sold, key -> shop.rollBack(SKU, key))));
                assertEquals(Set.of(202), statuses(shop.rush(never, key -> shop.rollBack(SKU, key))));
                doomed.kill();
            }

            // When
            servers.ledger().start();
            try (PackagedService next = PackagedService.start(servers)) {
                Shop shop = new Shop(next.port());

                // Then
                awaitStatus(shop, sold, "ROLLED_BACK");
                awaitStatus(shop, never, "CANCELLED");
                awaitStatus(shop, kept, "DEDUCTED");
                atRest.mustHold(SKU, CODE, BUCKETS);
                assertEquals(1_000 - ORDERS, shop.view(SKU).body().getLong("ledgerAvailable"));
                assertEquals(Set.of(409), statuses(shop.rush(never, key -> shop.deduct(SKU, key, 1))));
            }
        }
    }

    @Test
    void creditsTombstonesAndOutcomesOwedByADeadServiceAreGivenByTheNext() throws Exception {
        try (LocalServers servers = LocalServers.start(ServerOptions.onFreePorts());
                AtRest atRest = new AtRest(servers)) {
            List<String> sold = keys("sold-");
            List<String> never = keys("never-");

            // Given a service that dies while it owes credits, tombstones and outcomes
            try (PackagedService doomed = PackagedService.start(servers, Map.of("PENSTOCK_SCHEDULES", "off"))) {
                Shop shop = new Shop(doomed.port());
                shop.define(SKU, CODE, 1_000, BUCKETS);
                shop.rush(sold, key -> shop.deduct(SKU, key, 2));
                awaitStatus(shop, sold, "DEDUCTED");
                servers.redis().pause();
                servers.kafka().kill();
                assertEquals(Set.of(202), statuses(shop.rush(sold, key -> shop.rollBack(SKU, key))));
                assertEquals(Set.of(202), statuses(shop.rush(never, key -> shop.rollBack(SKU, key))));
                doomed.kill();
            }
            assertTrue(atRest.owedOutcomes() >= 2 * ORDERS, "no outcome was owed");

            // When
            servers.redis().resume();
            servers.kafka().start();
            try (PackagedService next = PackagedService.start(servers)) {
                Shop shop = new Shop(next.port());

                // Then
                atRest.mustHold(SKU, CODE, BUCKETS);
                assertEquals(1_000, shop.view(SKU).body().getLong("available"));
                assertEquals(Set.of(409), statuses(shop.rush(never, key -> shop.deduct(SKU, key, 1))));
                await().atMost(PATIENCE).until(() -> atRest.owedOutcomes() == 0);
            }
        }
    }
}
