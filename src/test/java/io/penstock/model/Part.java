package io.penstock.model;

/**
 * A row of {@code stock_transfer}: one unit at most.
 *
 * @param from the bucket it leaves, -1 for outside
 * @param to the bucket it comes to, -1 for outside
 * @param units what was withdrawn, once that is known
 * @param epoch STARTED: of the withdrawal
 */
record Part(int from, int to, Step step, int units, int epoch) {

    enum Step {
        /** Not begun. */
        NONE,
        /** Nothing has moved in the ledger. */
        STARTED,
        /** The ledger has moved it; the bucket it comes to may not have it. */
        MOVED,
        /** Withdrawn, but not moved in the ledger: to be deposited again where it came from. */
        BACK,
        DONE
    }

    static Part between(int from, int to) {
        return new Part(from, to, Step.NONE, 0, 0);
    }

    Part at(Step step, int units, int epoch) {
        return new Part(from, to, step, units, epoch);
    }

    boolean open() {
        return step == Step.STARTED || step == Step.MOVED || step == Step.BACK;
    }

    boolean touches(int bucket) {
        return from == bucket || to == bucket;
    }

    /** The bucket that is owed a deposit, -1 if none is. */
    int owedTo() {
        return switch (step) {
            case MOVED -> to;
            case BACK -> from;
            case NONE, STARTED, DONE -> -1;
        };
    }
}
