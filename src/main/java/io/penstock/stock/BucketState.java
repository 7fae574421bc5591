package io.penstock.stock;

/** Whether a bucket sells. An OFFLINE one is retired: closed, not deleted, and still takes rollbacks. */
public enum BucketState {
    ACTIVE,
    OFFLINE
}
