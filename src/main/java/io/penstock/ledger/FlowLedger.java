package io.penstock.ledger;

import io.penstock.ledger.DeductTransaction.Taking;
import io.penstock.ledger.FlowTable.FlowRow;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * 扣减流水. Every method is one transaction and fails with {@link LedgerUnavailable} when the ledger cannot say.
 *
 * <p>May be called from any thread. A batch may come in any order; its rows are always touched sorted.
 */
@ApplicationScoped
public class FlowLedger {

    private static final int MOST_JOURNAL_LINES = 1_000;

    private final Transactions transactions;

    FlowLedger(Transactions transactions) {
        this.transactions = transactions;
    }

    /** 落库: writes accepted deductions, each once. The same key may come twice in one batch: the first decides. */
    public Uni<SettledBatch> settle(List<AcceptedDeduction> accepted) {
        return SettleTransaction.settle(transactions, List.copyOf(accepted));
    }

    /**
     * 回滚 in the ledger. The same key may come twice in one batch: the second is {@code FINISHED_BEFORE}.
     *
     * @param owesCredit whether Redis must be told (false for SKUs that need no gate: credit NONE)
     */
    public Uni<RolledBackBatch> rollBack(List<RollbackOrder> orders, boolean owesCredit) {
        return RollBackTransaction.rollBack(transactions, List.copyOf(orders), owesCredit);
    }

    /** Marks credits OWED → DONE. Repeating it changes nothing. */
    public Uni<Void> creditsDone(List<CreditDone> credits) {
        return CreditTransaction.creditsDone(transactions, List.copyOf(credits));
    }

    /** Notes on a flow where the units went that came back to its retired bucket. */
    public Uni<Void> movedTo(SkuId skuId, DeductKey deductKey, int bucketNo) {
        return transactions.run(transaction -> FlowTable.movedTo(transaction, new FlowId(skuId, deductKey), bucketNo)
                .replaceWith(Ending.keep(null)));
    }

    /** What happened to one flow, oldest first; at most 1000 lines, where a handful is usual. */
    public Uni<List<JournalEntry>> journal(SkuId skuId, DeductKey deductKey) {
        return transactions.read(
                transaction -> Journal.of(transaction, new FlowId(skuId, deductKey), MOST_JOURNAL_LINES));
    }

    public Uni<Optional<Flow>> find(SkuId skuId, DeductKey deductKey) {
        return transactions.read(transaction ->
                FlowTable.read(transaction, new FlowId(skuId, deductKey)).map(row -> row.map(FlowRow::flow)));
    }

    /** Those of the keys that have a flow. */
    public Uni<Map<DeductKey, Flow>> find(SkuId skuId, Collection<DeductKey> deductKeys) {
        String given = FlowTable.json(
                deductKeys.stream().map(key -> new FlowId(skuId, key)).toList());
        return transactions
                .read(transaction -> FlowTable.read(transaction, given))
                .map(found -> found.values().stream()
                        .map(FlowRow::flow)
                        .collect(Collectors.toMap(Flow::deductKey, flow -> flow)));
    }

    /** Writes down what was repaired in Redis. */
    public Uni<Void> note(Collection<Repair> repairs) {
        return transactions.run(transaction -> Journal.append(
                        transaction, repairs.stream().map(Repair::line).toList())
                .replaceWith(Ending.keep(null)));
    }

    /**
     * One conditional UPDATE with the flow in one transaction.
     *
     * @return fails with {@link UnknownSku} too
     */
    public Uni<LedgerDeduction> deductConditional(SkuId skuId, DeductKey deductKey, Quantity qty, String traceId) {
        return DeductTransaction.deduct(transactions, Taking.CONDITIONAL, skuId, deductKey, qty, traceId);
    }

    /** SELECT … FOR UPDATE with the flow in one transaction; otherwise as {@link #deductConditional}. */
    public Uni<LedgerDeduction> deductPessimistic(SkuId skuId, DeductKey deductKey, Quantity qty, String traceId) {
        return DeductTransaction.deduct(transactions, Taking.PESSIMISTIC, skuId, deductKey, qty, traceId);
    }
}
