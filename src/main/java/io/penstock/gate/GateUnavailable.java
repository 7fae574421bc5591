package io.penstock.gate;

import io.penstock.platform.DependencyUnavailable;

/**
 * Redis did not answer, or answered an error. Whether the script ran is <em>unknown</em>; every script is idempotent, so
 * asking again with the same key decides.
 */
public final class GateUnavailable extends DependencyUnavailable {

    private static final long serialVersionUID = 1L;

    public GateUnavailable(String message, Throwable cause) {
        super(message, cause);
    }
}
