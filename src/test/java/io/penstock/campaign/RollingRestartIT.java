package io.penstock.campaign;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.campaign.Question.Reply;
import io.penstock.campaign.Shop.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two instances are replaced, one after the other, under load: who sends requests only to what is ready notices nothing. */
class RollingRestartIT {

    private static final Map<String, String> DRAIN = Map.of("QUARKUS_SHUTDOWN_DELAY", "2s");
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final int ENDED_BY_SIGTERM = 143;

    @Test
    void noRequestIsLostAndNoneIsRefused() throws Exception {
        ScheduledExecutorService balancer = Executors.newSingleThreadScheduledExecutor();
        try (Site site = Site.onSharedServers(2, DRAIN)) {
            Campaign.run("rolling restart", Campaign.newSeed(), site, running -> {
                // Given
                balancer.scheduleWithFixedDelay(
                        () -> balance(site, running.shop()), 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
                running.sale().goOn(Duration.ofSeconds(1));

                // When
                for (PackagedService instance : site.instances()) {
                    assertEquals(ENDED_BY_SIGTERM, instance.stop());
                    instance.launchAgain();
                    instance.awaitReady();
                    running.recoverFrom("a restart");
                }

                // Then
                List<Answer> lost = running.sale().orders().stream()
                        .flatMap(Order::questions)
                        .flatMap(Question::replies)
                        .map(Reply::answer)
                        .filter(answer -> answer.status() == 0 || answer.refusedUnread())
                        .toList();
                assertEquals(List.of(), lost);
            });
        } finally {
            balancer.shutdownNow();
        }
    }

    /** As balancers do, it goes on with all it knows if none is ready. */
    private static void balance(Site site, Shop shop) {
        int[] ready = site.ready();
        if (ready.length > 0) {
            shop.use(ready);
        }
    }
}
