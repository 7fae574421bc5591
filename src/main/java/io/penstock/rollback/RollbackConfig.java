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
}
