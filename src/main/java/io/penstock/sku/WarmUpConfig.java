package io.penstock.sku;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

@ConfigMapping(prefix = "penstock.warm-up")
interface WarmUpConfig {

    /** How long a load may wait for what was accepted before it to be settled: a request is waiting behind it. */
    @WithDefault("10s")
    @DurationMin(millis = 100)
    @DurationMax(seconds = 300)
    Duration fence();

    /** Entries a script call stages: large enough to be quick, small enough that no other client of Redis waits milliseconds. */
    @WithDefault("1000")
    @Min(1)
    @Max(5000)
    int page();

    /** How long a key may be retried: finished keys are kept in Redis at least so long. */
    @WithDefault("${PENSTOCK_RETRY_HORIZON:24h}")
    @DurationMin(millis = 60000)
    @DurationMax(seconds = 30 * 24 * 3600)
    Duration retryHorizon();
}
