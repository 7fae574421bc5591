package io.penstock.sku;

import io.penstock.platform.DependencyUnavailable;

/** Units are on their way between buckets, and were not there in time. */
public final class StillMoving extends DependencyUnavailable {

    private static final long serialVersionUID = 1L;

    public StillMoving() {
        super("Units are still moving between buckets.", null);
    }
}
