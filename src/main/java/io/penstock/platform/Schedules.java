package io.penstock.platform;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.ScheduledExecution;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;

/** Whether this instance runs background work ({@code PENSTOCK_SCHEDULES}). What a request began is finished either way. */
public final class Schedules {

    private Schedules() {}

    @ConfigMapping(prefix = "penstock.schedules")
    interface Config {

        /** Off pauses background work on this instance, so that an operator can look at a standing system. */
        @WithParentName
        @WithDefault("on")
        OnOff mode();
    }

    /** For {@code skipExecutionIf}. */
    @Singleton
    public static class Off implements Scheduled.SkipPredicate {

        private final boolean on;
        private volatile boolean started;

        Off(Config config) {
            this.on = config.mode() == OnOff.ON;
        }

        /** After the channels: what runs in the background uses them. */
        void started(@Observes @Priority(Interceptor.Priority.PLATFORM_AFTER) StartupEvent start) {
            started = true;
        }

        @Override
        public boolean test(ScheduledExecution execution) {
            return !on || !started;
        }
    }
}
