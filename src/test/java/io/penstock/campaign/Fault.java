package io.penstock.campaign;

import java.time.Duration;

/**
 * Something that goes wrong and is put right again.
 *
 * @param lasts how long it stays wrong while the sale goes on
 * @param losesRedisData whether Redis may have less afterwards than it had answered
 */
record Fault(String name, Duration lasts, boolean losesRedisData, Step begin, Step end) {

    @FunctionalInterface
    interface Step {
        void take() throws Exception;
    }

    static Fault of(String name, Duration lasts, Step begin, Step end) {
        return new Fault(name, lasts, false, begin, end);
    }

    /** Over at once, and some of Redis' data is gone. */
    static Fault loss(String name, Step step) {
        return new Fault(name, Duration.ZERO, true, step, () -> {});
    }
}
