package io.penstock.ledger;

import io.penstock.stock.BucketState;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SaleState;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** One bucket as the ledger has it at one instant: what Redis is loaded from. Pages are ascending by deduct key. */
public interface Snapshot {

    /**
     * @param transfers open transfers whose effect {@code allotted} already includes: id as the gate's book names it → units
     *     (negative for a withdrawal)
     */
    record Units(long allotted, BucketState state, SaleState sale, long epoch, Map<String, Long> transfers) {}

    Uni<Units> units();

    /** DEDUCTED flows of the bucket after {@code after} (null: from the first), at most {@code limit}. */
    Uni<Map<DeductKey, Quantity>> sold(DeductKey after, int limit);

    /** Finished keys that must be refused in this bucket: younger than {@code age} on the ledger's clock, or with an open credit. */
    Uni<List<DeductKey>> finished(Duration age, DeductKey after, int limit);
}
