package io.penstock.campaign;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two instances sell while servers hang, die and come back, and while one of them dies. */
@Tag("long")
class ServerFaultsIT {

    @Test
    void nothingIsLostOrGivenTwiceWhateverHangsOrDies() throws Exception {
        try (Site site = Site.onSharedServers(2)) {
            Campaign.repeat("server faults", site, running -> {
                for (Fault fault : running.shuffled(ServerFaults.of(site))) {
                    running.suffer(fault);
                }
            });
        }
    }
}
