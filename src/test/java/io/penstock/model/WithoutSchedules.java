package io.penstock.model;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.util.Map;

/** Background work is done when the test says so, without delay; each step is waited for, however busy the machine is. */
public final class WithoutSchedules implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
        return Map.of(
                "penstock.schedules", "off",
                "penstock.compensation.untouched", "0s",
                "penstock.compensation.first-delay", "10ms",
                "penstock.compensation.longest-delay", "100ms",
                "penstock.resolver.grace", "1ms",
                "penstock.gate.timeout", "30s",
                "penstock.ledger.timeout", "60s",
                "penstock.ledger.silence", "90s");
    }
}
