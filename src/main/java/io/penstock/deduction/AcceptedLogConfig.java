package io.penstock.deduction;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

@ConfigMapping(prefix = "penstock.accepted-log")
interface AcceptedLogConfig {

    /** How long a client waits for Kafka before it is told 503: a broker that fails over needs a second or two. */
    @WithDefault("3s")
    @DurationMin(millis = 100)
    @DurationMax(seconds = 60)
    Duration timeout();

    /** SPLIT: records in flight at once; each goes to one partition, and a bucket always uses the same. More partitions than this stay unused. */
    @WithDefault("4")
    @Min(1)
    @Max(64)
    int lanes();

    /** Deductions of one round. SPLIT sends it as one record: with the longest keys and trace ids still below Kafka's megabyte. */
    @WithDefault("1000")
    @Min(1)
    @Max(1500)
    int maxRound();

    /** Deductions that wait at once: more is an outage or an overload, and 429 is honest. */
    @WithDefault("20000")
    @Min(1)
    int maxWaiting();
}
