package io.penstock.platform;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.ScheduledExecution;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Whether this instance runs background work ({@code PENSTOCK_SCHEDULES}). What a request began is finished either way. */
public final class Schedules {

    private Schedules() {}

    /** For {@code skipExecutionIf}. */
    @Singleton
    public static class Off implements Scheduled.SkipPredicate {

        private final boolean on;
        private volatile boolean started;

        Off(@ConfigProperty(name = "penstock.schedules") OnOff schedules) {
            this.on = schedules == OnOff.ON;
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
