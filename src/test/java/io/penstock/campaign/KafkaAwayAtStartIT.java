package io.penstock.campaign;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.local.LocalServers;
import io.penstock.local.ServerOptions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A service that starts before its brokers: it says so, makes its topics when they come, and sells without a restart. */
class KafkaAwayAtStartIT {

    private static final long SKU = 740_001;
    private static final String CODE = "EARLY";
    private static final int BUCKETS = 2;

    @Test
    void becomesReadyAndSettlesOnceTheBrokersAreThere() throws Exception {
        try (LocalServers servers = LocalServers.start(ServerOptions.onFreePorts());
                AtRest atRest = new AtRest(servers)) {
            // Given
            servers.kafka().stop();
            try (PackagedService service = PackagedService.launch(servers, Map.of())) {
                service.awaitAlive();
                Shop shop = new Shop(service.port());
                assertEquals(503, shop.define(SKU, CODE, 10, BUCKETS).status());

                // When
                servers.kafka().start();
                service.awaitReady();

                // Then
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> shop.define(SKU, CODE, 10, BUCKETS).status() == 200);
                assertEquals(201, shop.deduct(SKU, "order-1", 4).status());
                atRest.mustHold(SKU, CODE, BUCKETS);
                assertEquals(6, shop.view(SKU).body().getLong("ledgerAvailable"));
            }
        }
    }
}
