package io.penstock.campaign;

import org.junit.jupiter.api.Test;

/** Redis loses data in the middle of a sale: the ledger may reject the excess, and says so; all else holds. */
class RedisLossIT {

    @Test
    void whatIsLostComesBackFromTheLedgerAndTheExcessIsTold() throws Exception {
        try (Site site = Site.onSharedServers(2);
                PlainRedis redis = new PlainRedis(site.servers().redis().address())) {
            RedisLosses losses = new RedisLosses(site.servers().redis(), redis);
            Campaign.repeat("lost Redis data", site, running -> {
                for (Fault fault : running.choose(4, losses.of(running.sku()))) {
                    running.suffer(fault);
                }
            });
        }
    }
}
