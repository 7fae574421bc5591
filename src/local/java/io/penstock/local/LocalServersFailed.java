package io.penstock.local;

/** A local server could not be started or controlled. The message is for a person and says what to do or where to look. */
public final class LocalServersFailed extends RuntimeException {

    LocalServersFailed(String message) {
        super(message);
    }

    LocalServersFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
