package io.penstock.campaign;

import io.penstock.local.LocalServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Servers that hang or die, alone and together, and instances that die. What a server has acknowledged it still has afterwards. */
final class ServerFaults {

    private static final Duration LASTS = Campaign.isLong() ? Duration.ofSeconds(10) : Duration.ofSeconds(2);
    private static final Duration ALL_LAST = Campaign.isLong() ? Duration.ofSeconds(120) : Duration.ofSeconds(5);

    /** Longer than its leases and its place in the Kafka groups: others take over, and then it wakes up. */
    private static final Duration OVERTAKEN = Duration.ofSeconds(5);

    private ServerFaults() {}

    static List<Fault> of(Site site) {
        List<LocalServer> servers = site.servers().all();
        List<Fault> faults = new ArrayList<>();
        for (LocalServer server : servers) {
            String name = server.kind().title();
            faults.add(Fault.of(name + " hangs", LASTS, server::pause, server::resume));
            faults.add(Fault.of(name + " dies", LASTS, server::kill, server::start));
        }
        faults.add(Fault.of(
                "all servers hang",
                ALL_LAST,
                () -> servers.forEach(LocalServer::pause),
                () -> servers.forEach(LocalServer::resume)));
        faults.add(Fault.of(
                "all servers die",
                ALL_LAST,
                () -> servers.forEach(LocalServer::kill),
                () -> servers.forEach(LocalServer::start)));
        for (PackagedService instance :
                site.instances().subList(1, site.instances().size())) {
            faults.add(Fault.of("an instance hangs", OVERTAKEN, instance::pause, instance::resume));
            faults.add(Fault.of("an instance dies", LASTS, instance::kill, () -> {
                instance.launchAgain();
                instance.awaitReady();
            }));
        }
        return faults;
    }
}
