package io.penstock.ledger;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

@ConfigMapping(prefix = "penstock.lease")
interface LeaseConfig {

    /** How long a background job rests when the instance that did it dies: long enough for a slow ledger to renew the lease in. */
    @WithDefault("10s")
    @DurationMin(millis = 1000)
    @DurationMax(seconds = 300)
    Duration term();
}
