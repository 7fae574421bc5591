package io.penstock.platform;

/**
 * A server behind this one did not answer in time, or answered an error: whether it did what was asked is <em>unknown</em>. Becomes 503
 * unless someone can do better. The message names the dependency by its role and is fit to be shown.
 */
public abstract class DependencyUnavailable extends RuntimeException {

    private static final long serialVersionUID = 1L;

    protected DependencyUnavailable(String message, Throwable cause) {
        super(message, cause);
    }
}
