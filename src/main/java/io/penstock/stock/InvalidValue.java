package io.penstock.stock;

/** A value outside its alphabet or limits. The message says what is allowed and is fit to be shown to a client. */
public final class InvalidValue extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    InvalidValue(String message) {
        super(message);
    }
}
