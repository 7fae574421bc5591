package io.penstock.campaign;

import io.penstock.local.LocalServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lines between the service and its servers that are slow, dead, cut, or lose the reply to what was done. */
class LineFaultsIT {

    /** Longer than any one call may take. */
    private static final Duration LASTS = Campaign.isLong() ? Duration.ofSeconds(15) : Duration.ofSeconds(3);

    private static final Duration LATE = Duration.ofMillis(150);

    @Test
    void whatALineHidesOrRepeatsChangesNothing() throws Exception {
        try (FaultProxy redis = new FaultProxy();
                FaultProxy ledger = new FaultProxy();
                FaultProxy kafka = new FaultProxy();
                LocalServers servers = LocalServers.start(
                        Site.durable().kafka("advertised.listeners=PLAINTEXT://localhost:" + kafka.port()))) {
            redis.leadTo("127.0.0.1", servers.redis().port());
            ledger.leadTo("127.0.0.1", servers.ledger().port());
            kafka.leadTo("127.0.0.1", servers.kafka().port());
            Map<String, String> addresses = Map.of(
                    "REDIS_HOSTS", "redis://localhost:" + redis.port(),
                    "LEDGER_HOST", "localhost",
                    "LEDGER_PORT", "" + ledger.port(),
                    "KAFKA_BOOTSTRAP_SERVERS", "localhost:" + kafka.port());
            Map<String, FaultProxy> lines = new LinkedHashMap<>();
            lines.put("Redis", redis);
            lines.put("ledger", ledger);
            lines.put("Kafka", kafka);
            try (Site site = Site.on(servers, 2, addresses)) {
                Campaign.repeat("line faults", site, running -> {
                    for (Fault fault : running.choose(4, faults(lines))) {
                        running.suffer(fault);
                    }
                });
            }
        }
    }

    private static List<Fault> faults(Map<String, FaultProxy> lines) {
        List<Fault> faults = new ArrayList<>();
        lines.forEach((to, line) -> {
            faults.add(Fault.of("line to " + to + " is slow", LASTS, () -> line.delay(LATE), line::heal));
            faults.add(Fault.of("line to " + to + " is dead", LASTS, line::hold, line::heal));
            faults.add(Fault.of("line to " + to + " is dead one way", LASTS, line::holdReplies, line::heal));
            faults.add(Fault.of("line to " + to + " is cut", LASTS, line::reset, line::heal));
            faults.add(Fault.of("line to " + to + " loses replies", LASTS, line::dropReplies, line::heal));
        });
        return faults;
    }
}
