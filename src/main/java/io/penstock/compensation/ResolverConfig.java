package io.penstock.compensation;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

@ConfigMapping(prefix = "penstock.resolver")
interface ResolverConfig {

    /** Between two rounds: soon enough for a deduction whose client gave up, seldom enough to cost a sale nothing. */
    @WithDefault("10s")
    @DurationMin(millis = 100)
    @DurationMax(seconds = 3600)
    Duration every();

    /** How old a suspect must be before it is acted on: whoever wrote it is probably still at work. */
    @WithDefault("${PENSTOCK_GRACE:5s}")
    @DurationMin(millis = 1)
    @DurationMax(seconds = 300)
    Duration grace();
}
