package io.penstock.gate;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** The limits of the gate. Where Redis is, is said by {@code quarkus.redis}. */
@ConfigMapping(prefix = "penstock.gate")
interface GateConfig {

    /**
     * How long a call may take from the moment it is made, waiting included; then it is <em>unknown</em>. The Redis client has
     * no limit of its own. Far above a script (below 1 ms) and a failover's hiccup, and below what a shopper waits for.
     */
    @WithDefault("1s")
    @DurationMin(millis = 50)
    @DurationMax(seconds = 30)
    Duration timeout();

    /**
     * Calls without an answer, waiting or sent, on one event loop; more fail with {@link GateOverloaded}. 20 000 are about
     * half a second of a busy loop's work: whoever would wait longer is better told at once.
     */
    @WithDefault("20000")
    @Min(256)
    @Max(1_000_000)
    int maxUnanswered();

    /** The longest pause between two tries to connect. The first follows at once, then the pause doubles from 50 ms. */
    @WithDefault("2s")
    @DurationMin(millis = 50)
    @DurationMax(seconds = 60)
    Duration maxReconnectPause();
}
