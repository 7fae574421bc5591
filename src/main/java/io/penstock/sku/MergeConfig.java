package io.penstock.sku;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** When a SKU's buckets are evened out by themselves. */
@ConfigMapping(prefix = "penstock.merge")
interface MergeConfig {

    /** Every bucket of every SKU is looked at so often: one call of Redis each. */
    @WithDefault("5s")
    @DurationMin(millis = 100)
    @DurationMax(seconds = 3600)
    Duration every();

    /** 碎片率: the coefficient of variation of the ACTIVE buckets' stock above which they are evened out. */
    @WithDefault("0.5")
    @DecimalMin("0.05")
    @DecimalMax("10")
    double fragmentation();

    /** They are too when one of them has less than this share of their mean: its buyers would walk. 0: never for that. */
    @WithDefault("0.1")
    @DecimalMin("0")
    @DecimalMax("1")
    double lowRemainder();

    /** A SKU with fewer units left than this for each bucket is left alone: they are sold, by walking and gathering, before it is even. */
    @WithDefault("10")
    @Min(1)
    long smallestMean();

    /** How long a request waits for the units it moves before it is answered 202. */
    @WithDefault("5s")
    @DurationMin(millis = 100)
    Duration patience();
}
