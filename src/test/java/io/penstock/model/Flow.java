package io.penstock.model;

/**
 * A row of {@code stock_deduct_flow}.
 *
 * @param bucket -1 for a CANCELLED one
 */
record Flow(Status status, int bucket, Credit credit) {

    enum Status {
        NONE,
        DEDUCTED,
        REJECTED,
        ROLLED_BACK,
        CANCELLED
    }

    enum Credit {
        NONE,
        OWED,
        DONE
    }

    static final Flow NONE = new Flow(Status.NONE, -1, Credit.NONE);

    static Flow deducted(int bucket) {
        return new Flow(Status.DEDUCTED, bucket, Credit.NONE);
    }

    boolean exists() {
        return status != Status.NONE;
    }

    boolean soldAt(int bucket) {
        return status == Status.DEDUCTED && this.bucket == bucket;
    }

    boolean finished() {
        return exists() && status != Status.DEDUCTED;
    }

    boolean owes() {
        return credit == Credit.OWED;
    }

    Flow with(Status status, Credit credit) {
        return new Flow(status, bucket, credit);
    }
}
