package io.penstock.gate;

/** Too many calls wait for Redis: this one was not sent, so nothing happened. The client may try again later. */
public final class GateOverloaded extends RuntimeException {

    private static final long serialVersionUID = 1L;

    GateOverloaded(int limit) {
        // No stack trace: thousands of these are made in the moment that has least to spare.
        super("the gate has " + limit + " unanswered calls on this event loop", null, false, false);
    }
}
