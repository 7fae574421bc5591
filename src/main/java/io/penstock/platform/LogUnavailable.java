package io.penstock.platform;

/** Kafka did not acknowledge in time, or refused. A send that "failed" may still be delivered later. */
public final class LogUnavailable extends DependencyUnavailable {

    private static final long serialVersionUID = 1L;

    public LogUnavailable(Throwable cause) {
        super("The log (Kafka) cannot be reached.", cause);
    }
}
