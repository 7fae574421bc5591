package io.penstock.platform;

import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.ScheduledExecution;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Whether this instance runs background work ({@code PENSTOCK_SCHEDULES}). What a request began is finished either way. */
public final class Schedules {

    private Schedules() {}

    /** For {@code skipExecutionIf}. */
    @Singleton
    public static class Off implements Scheduled.SkipPredicate {

        private final boolean on;

        Off(@ConfigProperty(name = "penstock.schedules") OnOff schedules) {
            this.on = schedules == OnOff.ON;
        }

        @Override
        public boolean test(ScheduledExecution execution) {
            return !on;
        }
    }

    public enum OnOff {
        ON,
        OFF
    }
}
