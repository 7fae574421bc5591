package io.penstock.settlement;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

@ConfigMapping(prefix = "penstock.settlement")
interface SettlementConfig {

    /** Deductions a ledger transaction takes at most: past a thousand it grows slower, not faster, and holds its rows longer. */
    @WithDefault("1000")
    @Min(1)
    @Max(5000)
    int batch();
}
