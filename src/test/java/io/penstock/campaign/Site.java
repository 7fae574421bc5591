package io.penstock.campaign;

import io.penstock.local.LocalServers;
import io.penstock.local.ServerOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Servers, and the instances of the service on them. */
final class Site implements AutoCloseable {

    /** The defaults suit production, where nobody waits for the end of a test: who died is missed sooner here, and who erred is corrected sooner. */
    private static final Map<String, String> IMPATIENT = Map.of(
            "KAFKA_SESSION_TIMEOUT_MS", "2000",
            "KAFKA_HEARTBEAT_INTERVAL_MS", "500",
            "PENSTOCK_LEASE_TERM", "2s",
            "PENSTOCK_RESOLVER_EVERY", "1s",
            "PENSTOCK_MERGE_EVERY", "1s",
            "PENSTOCK_GRACE", "1s");

    private static LocalServers shared;

    private final LocalServers servers;
    private final List<PackagedService> instances = new ArrayList<>();

    private Site(LocalServers servers) {
        this.servers = servers;
    }

    /** That lose nothing they have acknowledged, as production should have them. */
    static ServerOptions durable() {
        return ServerOptions.onFreePorts()
                .redis("--appendfsync", "always")
                .durableLedger()
                .kafka("group.min.session.timeout.ms=1000");
    }

    /** On servers that all campaigns of this JVM share. */
    static Site onSharedServers(int instances) throws IOException {
        return onSharedServers(instances, Map.of());
    }

    /** The same, with variables of its own, and with options for the JVM of each instance in its first life. */
    static Site onSharedServers(int instances, Map<String, String> variables, String... options) throws IOException {
        return on(sharedServers(), instances, variables, options);
    }

    private static synchronized LocalServers sharedServers() {
        if (shared == null) {
            shared = LocalServers.start(durable());
        }
        return shared;
    }

    static Site on(LocalServers servers, int instances, Map<String, String> variables, String... options)
            throws IOException {
        Site site = new Site(servers);
        Map<String, String> all = new HashMap<>(IMPATIENT);
        all.putAll(variables);
        for (int i = 0; i < instances; i++) {
            site.instances.add(PackagedService.launch(servers, all, options));
        }
        site.instances.forEach(PackagedService::awaitReady);
        return site;
    }

    LocalServers servers() {
        return servers;
    }

    List<PackagedService> instances() {
        return instances;
    }

    /** The ports of those that say they are. */
    int[] ready() {
        return instances.stream()
                .filter(PackagedService::isReady)
                .mapToInt(PackagedService::port)
                .toArray();
    }

    /** A shop that uses every instance in turn. */
    Shop shop() {
        return new Shop(instances.stream().mapToInt(PackagedService::port).toArray());
    }

    @Override
    public void close() throws InterruptedException {
        for (PackagedService instance : instances) {
            instance.close();
        }
    }
}
