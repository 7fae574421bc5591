package io.penstock.platform;

/** A Kafka value that no retry will make readable: a dead letter. The message is its reason. */
public final class Unreadable extends Exception {

    private static final long serialVersionUID = 1L;

    public Unreadable(String reason) {
        super(reason, null, false, false);
    }
}
