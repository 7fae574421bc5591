package io.penstock.sku;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;

/** How long the layouts of SKUs are kept. */
@ConfigMapping(prefix = "penstock.layouts")
interface LayoutConfig {

    /** A layout older than this is read again behind the request that uses it. How a SKU is sold changes seldom. */
    @WithDefault("5s")
    @DurationMin(millis = 100)
    Duration refreshAfter();

    /** A SKU that nobody asked for so long takes no memory. Longer than a ledger outage that a sale should survive. */
    @WithDefault("1h")
    @DurationMin(minutes = 1)
    Duration forgetAfter();

    /** Layouts kept at most: about a kilobyte each. */
    @WithDefault("10000")
    @Min(1)
    @Max(1_000_000)
    int mostKept();
}
