package io.penstock.ledger;

import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** SKUs and their buckets. Every method fails with {@link LedgerUnavailable} when the ledger cannot say. */
@ApplicationScoped
public class SkuLedger {

    public enum Defined {
        CREATED,
        SAME,
        CONFLICT
    }

    /** Writes a SKU with its buckets, units split evenly and the remainder to the first ones; once. */
    public Uni<Defined> define(SkuDefinition definition) {
        throw new UnsupportedOperationException();
    }

    public Uni<Optional<LedgerSku>> find(SkuId skuId) {
        throw new UnsupportedOperationException();
    }

    /** SKUs with an id above {@code after}, ascending, at most {@code limit}. */
    public Uni<List<LedgerSku>> list(long after, int limit) {
        throw new UnsupportedOperationException();
    }

    /** Begins a load of one bucket: what was begun in an older epoch is refused from now on. Returns the new epoch. */
    public Uni<Long> raiseEpoch(SkuId skuId, int bucketNo) {
        throw new UnsupportedOperationException();
    }

    /** Reads one bucket at one instant, in pages; the snapshot ends with the returned Uni. */
    public <T> Uni<T> snapshot(SkuId skuId, int bucketNo, Function<Snapshot, Uni<T>> reading) {
        throw new UnsupportedOperationException();
    }

    /** Units of the SKU that the ledger owes Redis, and that are inside open transfers. */
    public record Underway(long owed, long moving) {}

    public Uni<Underway> underway(SkuId skuId) {
        throw new UnsupportedOperationException();
    }
}
