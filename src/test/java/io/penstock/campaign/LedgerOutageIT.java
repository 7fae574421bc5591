package io.penstock.campaign;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.local.LocalServers;
import io.penstock.local.ServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A ledger that hangs in the middle of a sale: the gate and Kafka go on, a rollback is taken, and the ledger catches up. */
class LedgerOutageIT {

    private static final long SKU = 730_001;
    private static final String CODE = "OUTAGE";
    private static final int BUCKETS = 5;

    /** Several times as long as a layout stays fresh, and than a statement may take. */
    private static final Duration OUTAGE = Duration.ofSeconds(8);

    /** Whichever of the two the ledger saw first. */
    private static final Set<String> ENDED = Set.of("ROLLED_BACK", "CANCELLED");

    @Test
    void sellsOnWithTheLayoutItKnowsAndSettlesAndReturnsAfterwards() throws Exception {
        try (LocalServers servers = LocalServers.start(ServerOptions.onFreePorts());
                AtRest atRest = new AtRest(servers);
                PackagedService service =
                        PackagedService.start(servers, Map.of("PENSTOCK_LAYOUTS_REFRESH_AFTER", "200ms"))) {
            // Given
            Shop shop = new Shop(service.port());
            shop.define(SKU, CODE, 100_000, BUCKETS);
            shop.deduct(SKU, "before", 1);

            // When
            servers.ledger().pause();
            List<Integer> answers = new ArrayList<>();
            long end = System.nanoTime() + OUTAGE.toNanos();
            for (int i = 0; System.nanoTime() < end; i++) {
                answers.add(shop.deduct(SKU, "during-" + i, 1).status());
            }
            int returned = shop.rollBack(SKU, "during-0").status();
            servers.ledger().resume();

            // Then
            assertEquals(List.of(201), answers.stream().distinct().toList());
            assertEquals(202, returned);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> shop.find(SKU, "during-0").body().getString("status"), ENDED::contains);
            atRest.mustHold(SKU, CODE, BUCKETS);
            assertEquals(100_000 - answers.size(), shop.view(SKU).body().getLong("ledgerAvailable"));
        }
    }
}
