package io.penstock.platform;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;

/** The one source of time, so that a test can be another. */
class WallClock {

    @Produces
    @Singleton
    Clock clock() {
        return Clock.systemUTC();
    }
}
