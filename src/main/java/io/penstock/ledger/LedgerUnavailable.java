package io.penstock.ledger;

import io.penstock.platform.DependencyUnavailable;

/** The ledger did not answer, or failed. Whether the transaction committed is <em>unknown</em>; asking again with the same key decides. */
public final class LedgerUnavailable extends DependencyUnavailable {

    private static final long serialVersionUID = 1L;

    public LedgerUnavailable(String message, Throwable cause) {
        super(message, cause);
    }
}
