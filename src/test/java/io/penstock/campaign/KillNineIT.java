package io.penstock.campaign;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.campaign.Shop.Answer;
import io.penstock.local.LocalServers;
import io.penstock.local.ServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@code kill -9} of the service in the middle of a sale: what it had accepted is kept, and what it had not answered is decided by its key. */
class KillNineIT {

    private static final long SKU = 720_001;
    private static final String CODE = "KILL";
    private static final int BUCKETS = 5;
    private static final int UNITS = 1_000;

    private final List<String> keys =
            IntStream.range(0, 4_000).mapToObj(i -> "kill-" + i).toList();

    @Test
    void acceptedDeductionsAndReturnsSurviveAndNothingIsLostOrSoldTwice() throws Exception {
        try (LocalServers servers = LocalServers.start(ServerOptions.onFreePorts());
                AtRest atRest = new AtRest(servers);
                PackagedService service = PackagedService.start(servers)) {
            // Given a service that dies in the middle of a rush, in which every third buyer changes his mind
            Shop shop = new Shop(service.port());
            shop.define(SKU, CODE, UNITS, BUCKETS);
            AtomicInteger answered = new AtomicInteger();
            CompletableFuture<List<Answer>> rush =
                    CompletableFuture.supplyAsync(() -> shop.rush(keys, key -> buy(shop, key, answered)));
            await().atMost(Duration.ofSeconds(60)).until(() -> answered.get() > 300);
            service.kill();
            List<Answer> first = rush.join();
            List<String> accepted = new ArrayList<>();
            List<String> undecided = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                if (first.get(i).accepted()) {
                    accepted.add(keys.get(i));
                } else if (first.get(i).unknown()) {
                    undecided.add(keys.get(i));
                }
            }
            assertTrue(undecided.size() > 1_000, "it died too late to prove anything");

            // When it is back, and every buyer without an answer asks again
            service.launchAgain();
            service.awaitReady();
            shop.rush(undecided, key -> buyUntilDecided(shop, key));

            // Then
            atRest.mustHold(SKU, CODE, BUCKETS);
            for (String key : accepted) {
                String status = shop.find(SKU, key).body().getString("status");
                assertEquals(changesHisMind(key) ? "ROLLED_BACK" : "DEDUCTED", settled(key, status), key);
            }
            long left = shop.view(SKU).body().getLong("available");
            assertEquals(shop.view(SKU).body().getLong("ledgerAvailable"), left);
        }
    }

    /** A buyer who changes his mind gives it back at once; his last answer counts. */
    private static Answer buy(Shop shop, String key, AtomicInteger answered) {
        Answer bought = shop.deduct(SKU, key, 1);
        answered.incrementAndGet();
        return bought.accepted() && changesHisMind(key) ? shop.rollBack(SKU, key) : bought;
    }

    /** No answer, or 503, is neither yes nor no: the same key decides. */
    private static Answer buyUntilDecided(Shop shop, String key) {
        return await().atMost(Duration.ofSeconds(60))
                .until(() -> buy(shop, key, new AtomicInteger()), answer -> !answer.unknown());
    }

    private static boolean changesHisMind(String key) {
        return key.hashCode() % 3 == 0;
    }

    /** A rollback that overtook the settlement of its deduction ends as CANCELLED: its units are back all the same. */
    private static String settled(String key, String status) {
        return changesHisMind(key) && status.equals("CANCELLED") ? "ROLLED_BACK" : status;
    }
}
