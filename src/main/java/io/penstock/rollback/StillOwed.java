package io.penstock.rollback;

import io.penstock.platform.DependencyUnavailable;
import io.penstock.stock.BucketId;

/** A bucket is not loaded, so its credit cannot be given yet. */
public final class StillOwed extends DependencyUnavailable {

    private static final long serialVersionUID = 1L;

    public StillOwed(BucketId bucket) {
        super("Bucket " + bucket + " is not loaded.", null);
    }
}
