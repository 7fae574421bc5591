package io.penstock.sku;

import io.penstock.gate.Gate;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.Snapshot;
import io.penstock.stock.BucketId;
import io.penstock.stock.BucketState;
import io.penstock.stock.SaleState;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Whether a bucket is closed in Redis: if it is OFFLINE, or its sale is paused. Whoever changes that writes the ledger first, and then has this make Redis agree; so does whoever loads a bucket.
 */
@ApplicationScoped
class BucketStates {

    private final Gate gate;
    private final SkuLedger ledger;

    BucketStates(Gate gate, SkuLedger ledger) {
        this.gate = gate;
        this.ledger = ledger;
    }

    static boolean closed(Snapshot.Units units) {
        return closed(units.state(), units.sale());
    }

    static boolean closed(BucketState state, SaleState sale) {
        return state == BucketState.OFFLINE || sale == SaleState.PAUSED;
    }

    /** Closes or opens the bucket, until the ledger says what Redis has been told. Nothing happens to a bucket that is not loaded. */
    Uni<Void> match(BucketId bucket) {
        return shouldBeClosed(bucket).chain(closed -> put(bucket, closed));
    }

    /**
     * The same for a bucket that has just been put in place. One that was put there open is never opened: it may have been closed since.
     *
     * @param closed as it was put in place
     */
    Uni<Void> matchLoaded(BucketId bucket, boolean closed) {
        return shouldBeClosed(bucket)
                .chain(shouldBe -> shouldBe == closed ? Uni.createFrom().voidItem() : put(bucket, shouldBe));
    }

    private Uni<Void> put(BucketId bucket, boolean closed) {
        return (closed ? gate.close(bucket) : gate.open(bucket)).chain(() -> matchLoaded(bucket, closed));
    }

    private Uni<Boolean> shouldBeClosed(BucketId bucket) {
        return ledger.snapshot(bucket.skuId(), bucket.bucketNo(), Snapshot::units)
                .map(BucketStates::closed);
    }
}
