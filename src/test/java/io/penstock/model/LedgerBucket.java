package io.penstock.model;

/** A row of {@code sku_bucket}. */
record LedgerBucket(int allotted, int available, int epoch, boolean closed) {

    LedgerBucket take(int units) {
        return new LedgerBucket(allotted, available - units, epoch, closed);
    }

    LedgerBucket allot(int units) {
        return new LedgerBucket(allotted + units, available + units, epoch, closed);
    }

    LedgerBucket nextEpoch() {
        return new LedgerBucket(allotted, available, epoch + 1, closed);
    }

    LedgerBucket withClosed(boolean closed) {
        return new LedgerBucket(allotted, available, epoch, closed);
    }
}
