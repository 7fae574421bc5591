package io.penstock.platform;

/** A bounded queue is full: nothing was done. Becomes 429. */
public class Overloaded extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public Overloaded(String message) {
        // No stack trace: thousands of these are made in the moment that has least to spare.
        super(message, null, false, false);
    }
}
