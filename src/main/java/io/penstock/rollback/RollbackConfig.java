package io.penstock.rollback;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

@ConfigMapping(prefix = "penstock.rollback")
interface RollbackConfig {

    /** Tries to give a credit while the client waits; afterwards it stays owed and is given in the background. */
    @WithDefault("3")
    @Min(1)
    @Max(10)
    int tries();

    /** Before the second try; doubles, with jitter, so that many clients do not come back together. */
    @WithDefault("50ms")
    @DurationMin(millis = 1)
    @DurationMax(seconds = 10)
    Duration firstDelay();

    /** ORDERED: how long a client waits for the end of a rollback that Kafka has; then it is answered 202. Some ms as a rule: this is for an instance that fails over. */
    @WithDefault("2s")
    @DurationMin(millis = 1)
    @DurationMax(seconds = 60)
    Duration orderedWait();

    /** ORDERED: credits under way on this instance; more are left to the sweeper. Nobody waits for them, and while Redis is away each takes seconds. */
    @WithDefault("2000")
    @Min(0)
    @Max(100000)
    int orderedUnderway();
}
