package io.penstock.ledger;

/**
 * How a transaction ends.
 *
 * @param refusal what the caller gets instead of an answer, unchanged; else null. Nothing is kept with it.
 */
record Ending<T>(T answer, boolean kept, RuntimeException refusal) {

    /** COMMIT, then the answer. */
    static <T> Ending<T> keep(T answer) {
        return new Ending<>(answer, true, null);
    }

    /** Nothing of it stays, then the answer. */
    static <T> Ending<T> undo(T answer) {
        return new Ending<>(answer, false, null);
    }

    /** Nothing of it stays, then the failure. */
    static <T> Ending<T> refuse(RuntimeException refusal) {
        return new Ending<>(null, false, refusal);
    }
}
