package io.penstock.platform;

/** A bounded queue is full: nothing was done. Becomes 429. */
public class Overloaded extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public Overloaded(String message) {
        super(message, null, false, false);
    }
}
