package io.penstock.gate;

import io.penstock.platform.Overloaded;

/** Too many calls wait for Redis: this one was not sent, so nothing happened. The client may try again later. */
public final class GateOverloaded extends Overloaded {

    private static final long serialVersionUID = 1L;

    GateOverloaded(int limit) {
        super("the gate has " + limit + " unanswered calls on this event loop");
    }
}
