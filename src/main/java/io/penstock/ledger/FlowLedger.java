package io.penstock.ledger;

import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;

/** 扣减流水. Every method is one transaction and fails with {@link LedgerUnavailable} when the ledger cannot say. */
@ApplicationScoped
public class FlowLedger {

    /** 落库: writes accepted deductions, each once. The same key may come twice in one batch. */
    public Uni<SettledBatch> settle(List<AcceptedDeduction> accepted) {
        throw new UnsupportedOperationException();
    }

    /**
     * 回滚 in the ledger. The same key may come twice in one batch.
     *
     * @param owesCredit whether Redis must be told (false for SKUs that need no gate: credit NONE)
     */
    public Uni<RolledBackBatch> rollBack(List<RollbackOrder> orders, boolean owesCredit) {
        throw new UnsupportedOperationException();
    }

    /** Marks credits OWED → DONE. Repeating it changes nothing. */
    public Uni<Void> creditsDone(List<CreditDone> credits) {
        throw new UnsupportedOperationException();
    }

    public Uni<Optional<Flow>> find(SkuId skuId, DeductKey deductKey) {
        throw new UnsupportedOperationException();
    }

    /** One conditional UPDATE with the flow in one transaction. */
    public Uni<LedgerDeduction> deductConditional(SkuId skuId, DeductKey deductKey, Quantity qty, String traceId) {
        throw new UnsupportedOperationException();
    }

    /** SELECT … FOR UPDATE with the flow in one transaction. */
    public Uni<LedgerDeduction> deductPessimistic(SkuId skuId, DeductKey deductKey, Quantity qty, String traceId) {
        throw new UnsupportedOperationException();
    }
}
