package io.penstock.gate;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;

/**
 * The operations of one bucket in Redis. Each is one atomic script, is idempotent, and fails with {@link GateUnavailable}
 * when Redis does not answer in time or answers an error; then whether it ran is unknown.
 *
 * <p>May be called from any thread; a result arrives on the caller's event loop if it has one.
 */
@ApplicationScoped
public class Gate {

    /** 扣减. Calls for the same bucket that arrive while its previous call is in flight travel together in the next one. */
    public Uni<DeductAnswer> deduct(BucketId bucket, DeductKey key, Quantity qty) {
        throw new UnsupportedOperationException();
    }

    /** Notes at a key's home that another bucket took it. */
    public Uni<Void> spill(BucketId home, DeductKey key, int takenBy) {
        throw new UnsupportedOperationException();
    }

    /** 回补: removes each key's entry, gives its units back and leaves a tombstone. One answer a key, in order. */
    public Uni<List<RestoreAnswer>> restore(BucketId bucket, List<DeductKey> keys) {
        throw new UnsupportedOperationException();
    }

    /** Restores an entry whose key is sold in another bucket: a spill pointer to that one takes the tombstone's place. */
    public Uni<RestoreAnswer> restoreStray(BucketId bucket, DeductKey key, int soldAt) {
        throw new UnsupportedOperationException();
    }

    /**
     * For a rolled-back flow that the bucket does not know: gives the units only if entries are missing.
     * {@code RESTORED}: given. {@code RESTORED_BEFORE}: nothing was owed. Leaves the tombstone either way.
     */
    public Uni<RestoreAnswer> repay(BucketId bucket, DeductKey key, Quantity qty) {
        throw new UnsupportedOperationException();
    }

    /**
     * 空回滚: forbids a key that the ledger has never seen, and gives back what the bucket holds for it.
     *
     * @return the units given back now, 0 if the bucket held none, or {@link RestoreAnswer#NOT_LOADED}
     */
    public Uni<Entombed> entomb(BucketId bucket, DeductKey key) {
        throw new UnsupportedOperationException();
    }

    /** Makes the entry of a sold flow what the ledger says. Never touches a tombstoned key. */
    public Uni<RestoreAnswer> adopt(BucketId bucket, DeductKey key, Quantity qty) {
        throw new UnsupportedOperationException();
    }

    /** Puts the book and the stock right, only if nothing moved since {@code seen}. Empty if something did. */
    public Uni<Recounted> recount(BucketId bucket, Inspection seen, long ledgerAllotment) {
        throw new UnsupportedOperationException();
    }

    /** Claims a bucket without a stock key for an epoch; replaces any claim of a lower one. */
    public Uni<Claim> begin(BucketId bucket, long epoch) {
        throw new UnsupportedOperationException();
    }

    /** Adds a page of sold entries to a load; {@code REFUSED} if the claim no longer stands. */
    public Uni<Claim> stage(BucketId bucket, long epoch, Map<DeductKey, Quantity> page) {
        throw new UnsupportedOperationException();
    }

    /** Adds a page of finished keys to the tombstones of a bucket that is being loaded. */
    public Uni<Claim> stageFinished(BucketId bucket, long epoch, List<DeductKey> page) {
        throw new UnsupportedOperationException();
    }

    /** Puts a load in place, if its claim still stands and every entry was staged. */
    public Uni<Claim> finish(BucketId bucket, long epoch, LoadedUnits units) {
        throw new UnsupportedOperationException();
    }

    /** Takes up to {@code atMost} units out of a bucket for a transfer, once, in one epoch. */
    public Uni<Moved> withdraw(BucketId bucket, String transferId, long atMost, long epoch) {
        throw new UnsupportedOperationException();
    }

    /** Puts a transfer's units into a bucket, once, in one epoch. */
    public Uni<Moved> deposit(BucketId bucket, String transferId, long units, long epoch) {
        throw new UnsupportedOperationException();
    }

    /** Closes a bucket to new keys; known ones are still answered and rolled back. Nothing happens if it is not loaded. */
    public Uni<Void> close(BucketId bucket) {
        throw new UnsupportedOperationException();
    }

    /** Opens it again. */
    public Uni<Void> open(BucketId bucket) {
        throw new UnsupportedOperationException();
    }

    /** The bucket at one instant. */
    public Uni<Inspection> inspect(BucketId bucket) {
        throw new UnsupportedOperationException();
    }

    /** What the bucket knows of a key. */
    public Uni<HeldEntry> find(BucketId bucket, DeductKey key) {
        throw new UnsupportedOperationException();
    }

    /** The Redis Cluster slot of the bucket's keys, 0 … 16383; the same without a cluster. */
    public int slot(BucketId bucket) {
        throw new UnsupportedOperationException();
    }

    /** What operators should mend, a sentence each: a {@code maxmemory-policy} other than {@code noeviction}. Empty if all is well, or if Redis does not say. */
    public Uni<List<String>> weaknesses() {
        throw new UnsupportedOperationException();
    }
}
