package io.penstock.ledger;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.interceptor.Interceptor;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Brings the schema to this version before anything else starts. Without it the service ends, with one line that says why. */
@ApplicationScoped
class Migrations {

    private final Flyway flyway;

    Migrations(Flyway flyway) {
        this.flyway = flyway;
    }

    /** Blocks the start, on the main thread. */
    void migrate(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE) StartupEvent start) {
        try {
            flyway.migrate();
        } catch (FlywayException e) {
            String reason = e.getMessage().lines().findFirst().orElse("").strip();
            // Of all that may end a start, this alone is printed without a stack trace.
            throw new ConfigurationException(
                    "Penstock cannot start: the ledger's schema cannot be migrated. " + reason);
        }
    }
}
