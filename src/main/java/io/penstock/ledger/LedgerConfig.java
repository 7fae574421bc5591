package io.penstock.ledger;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;

/** Limits of the ledger's client. */
@ConfigMapping(prefix = "penstock.ledger")
interface LedgerConfig {

    /**
     * How long a transaction may take, its wait for a connection and its retries included; afterwards its end is unknown. A server that
     * hangs never times out by itself. Long enough for three waits for a row lock, short enough for an HTTP caller.
     */
    @WithDefault("3s")
    Duration timeout();

    /** Seconds a statement waits for a row lock. Below the timeout, so that the server ends what the client has given up. */
    @WithDefault("1")
    @Min(1)
    @Max(60)
    int lockWaitSeconds();

    /** How often a transaction that lost a deadlock or a wait for a lock begins again. */
    @WithDefault("5")
    @Min(0)
    @Max(20)
    int retries();

    /** Transactions that may wait for a connection; more are refused at once. */
    @WithDefault("512")
    @Min(1)
    @Max(100_000)
    int maxWaiting();

    /** After this long without a byte a connection is closed, whatever it waits for. Above the timeout and the pool's idle time. */
    @WithDefault("10s")
    Duration silence();
}
