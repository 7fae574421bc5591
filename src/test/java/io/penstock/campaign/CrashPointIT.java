package io.penstock.campaign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.platform.CrashPoint;
import io.vertx.redis.client.Command;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The service dies at each step that leaves work half done, in the middle of a sale, and is started again. */
class CrashPointIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** Some of them in the short form: over the builds it is all. */
    static List<CrashPoint> points() {
        return Campaign.choose(Campaign.newSeed(), 3, List.of(CrashPoint.values()));
    }

    @ParameterizedTest
    @MethodSource("points")
    void keepsItsPromisesAfterDyingAt(CrashPoint point) throws Exception {
        long seed = Campaign.newSeed();
        boolean inALoad = point == CrashPoint.AFTER_CLAIM || point == CrashPoint.BEFORE_FINISH;
        try (Site site = Site.onSharedServers(1, Map.of(), inALoad ? new String[0] : armed(point, seed))) {
            PackagedService service = site.instances().get(0);
            Campaign.run("crash point " + point, seed, site, running -> {
                // Given
                if (inALoad) {
                    running.sale().goOn(Duration.ofSeconds(1));
                    service.kill();
                    loseStockKey(site, running);
                    service.launchAgain(armed(point, seed));
                }

                // When
                running.sale().goOnUntil(() -> !service.isRunning(), PATIENCE);

                // Then
                assertEquals(CrashPoint.EXIT_CODE, service.awaitEnd());
                assertTrue(service.log().endsWith("crash point " + point + "\n"), "it died elsewhere");
                service.launchAgain();
                service.awaitReady();
                running.recoverFrom("the only instance dies");
            });
        }
    }

    private static String[] armed(CrashPoint point, long seed) {
        int pass = 1 + new Random(seed).nextInt(mostPasses(point));
        return new String[] {"-D" + CrashPoint.POINT + "=" + point, "-D" + CrashPoint.PASS + "=" + pass};
    }

    /** Rare steps are passed a few times only. */
    private static int mostPasses(CrashPoint point) {
        return switch (point) {
            case AFTER_CLAIM, BEFORE_FINISH -> 1;
            case AFTER_SPILL, AFTER_WITHDRAWAL, BEFORE_DEPOSIT, AFTER_DEPOSIT -> 5;
            default -> 50;
        };
    }

    /** So that a bucket has to be loaded, with all that it has sold. */
    private static void loseStockKey(Site site, Campaign.Running running) throws Exception {
        running.redisLosesData();
        try (PlainRedis redis = new PlainRedis(site.servers().redis().address())) {
            redis.send(Command.DEL, Sale.key(running.sku(), 1, "stock"));
        }
    }
}
