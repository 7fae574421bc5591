package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/**
 * 库存调整: a transfer with one side outside. Giving writes the ledger first; taking withdraws from the gate first. Each step is
 * one transaction, idempotent by adjustment key, and can be resumed by repeating it.
 */
@ApplicationScoped
public class AdjustmentLedger {

    public enum State {
        /** Begun: its parts are not all done. */
        OPEN,
        /** The ledger and the gate have it. */
        DONE,
        /** Taking more than was left: everything was put back. */
        REFUSED
    }

    public enum PartState {
        /** Nothing has moved in the ledger. */
        STARTED,
        /** The ledger has moved it; the gate may not know (giving). */
        MOVED,
        /** Withdrawn from the gate, refused by the ledger: to be deposited again as {@code <id>/back}. */
        BACK,
        DONE
    }

    /**
     * One bucket's share.
     *
     * @param transferId as the gate's book names it
     * @param units what moves, above 0
     */
    public record Part(String transferId, int bucketNo, long units, long epoch, PartState state) {}

    /**
     * @param repeated whether the key was known before
     * @param delta as first given: compare it
     */
    public record Adjustment(
            SkuId skuId, String adjustmentKey, long delta, State state, boolean repeated, List<Part> parts) {}

    /**
     * Begins a positive adjustment: the units are in the ledger's ACTIVE buckets, split evenly, with this call; parts are MOVED. A SKU that needs
     * no gate is DONE at once. A known key is answered as it is.
     */
    public Uni<Adjustment> give(SkuId skuId, DeductKey adjustmentKey, long delta, String reason) {
        throw new UnsupportedOperationException();
    }

    /** Begins a negative one of a gated SKU: recorded, no parts yet. A known key is answered as it is. */
    public Uni<Adjustment> beginTaking(SkuId skuId, DeductKey adjustmentKey, long delta, String reason) {
        throw new UnsupportedOperationException();
    }

    /** A negative one of a SKU that needs no gate, in one transaction: DONE or REFUSED. A known key is answered as it is. */
    public Uni<Adjustment> takeUngated(SkuId skuId, DeductKey adjustmentKey, long delta, String reason) {
        throw new UnsupportedOperationException();
    }

    /** Records that a part is about to be withdrawn from the gate: STARTED, with the units hoped for. Repeating it answers the same. */
    public Uni<Part> startPart(SkuId skuId, DeductKey adjustmentKey, int bucketNo, long units, long epoch) {
        throw new UnsupportedOperationException();
    }

    /**
     * Ends the taking. Three ways, decided in one transaction:
     *
     * <ul>
     *   <li>A part's epoch is no longer its bucket's: the load has undone that withdrawal. The part is STARTED again in the bucket's epoch, nothing
     *       moves, the adjustment stays OPEN: withdraw again and repeat.
     *   <li>The parts add up to the delta and every row has enough: they leave the ledger together, the adjustment is DONE.
     *   <li>Otherwise nothing leaves: every part that withdrew units is BACK (DONE if it withdrew 0 units), the adjustment stays OPEN until {@link #partsDone}.
     * </ul>
     *
     * @param withdrawn the parts with the units and the epoch of their real withdrawal
     */
    public Uni<Adjustment> take(SkuId skuId, DeductKey adjustmentKey, List<Part> withdrawn) {
        throw new UnsupportedOperationException();
    }

    /** The gate has these parts (deposit, or deposit back): DONE. With the last one the adjustment is DONE, or REFUSED if parts went back. */
    public Uni<Adjustment> partsDone(SkuId skuId, DeductKey adjustmentKey, List<String> transferIds) {
        throw new UnsupportedOperationException();
    }
}
