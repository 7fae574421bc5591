package io.penstock.compensation;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

@ConfigMapping(prefix = "penstock.compensation")
interface CompensationConfig {

    /** How long a new debt is left to the request that made it: its own tries take about as long. */
    @WithDefault("2s")
    @DurationMin(millis = 0)
    @DurationMax(seconds = 60)
    Duration untouched();

    /** After the first failed attempt; doubles with each. */
    @WithDefault("500ms")
    @DurationMin(millis = 10)
    @DurationMax(seconds = 60)
    Duration firstDelay();

    /** No debt waits longer than this, whatever its attempts: after an outage all are given soon. */
    @WithDefault("30s")
    @DurationMin(millis = 100)
    @DurationMax(seconds = 300)
    Duration longestDelay();

    /** Debts of one sweep. */
    @WithDefault("500")
    @Min(1)
    @Max(10000)
    int sweep();

    /** Debts given at once: quick after an outage, without crowding out the sale. */
    @WithDefault("8")
    @Min(1)
    @Max(64)
    int atOnce();

    /** Failed attempts after which a debt is told to on-call people, and again each time they have doubled: ten take a minute or two. */
    @WithDefault("10")
    @Min(1)
    @Max(1_000_000)
    int alertAfter();
}
