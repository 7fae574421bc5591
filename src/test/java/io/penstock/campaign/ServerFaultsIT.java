package io.penstock.campaign;

import org.junit.jupiter.api.Test;

/** Two instances sell while servers hang, die and come back, and while one of them dies. */
class ServerFaultsIT {

    @Test
    void nothingIsLostOrGivenTwiceWhateverHangsOrDies() throws Exception {
        try (Site site = Site.onSharedServers(2)) {
            Campaign.repeat("server faults", site, running -> {
                for (Fault fault : running.choose(4, ServerFaults.of(site))) {
                    running.suffer(fault);
                }
            });
        }
    }
}
