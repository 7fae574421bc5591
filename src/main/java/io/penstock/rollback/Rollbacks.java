package io.penstock.rollback;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.RollbackOrder;
import io.penstock.ledger.RolledBack;
import io.penstock.ledger.RolledBack.Verdict;
import io.penstock.ledger.RolledBackBatch;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.platform.LogUnavailable;
import io.penstock.rollback.RollbackOutcome.Kind;
import io.penstock.settlement.Outcomes;
import io.penstock.sku.Layout;
import io.penstock.sku.Layouts;
import io.penstock.stock.Credit;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.Strategy;
import io.quarkus.runtime.Startup;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * 回滚: gives one deduction back, once, whoever asks and however often. Fails with {@code unknown-sku}, or as the ledger fails; then nothing is known, and asking
 * again decides.
 */
@Startup // so that its metrics are there, at 0, from the start
@ApplicationScoped
public class Rollbacks {

    private static final Logger LOG = Logger.getLogger(Rollbacks.class);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(1);
    private static final double JITTER = 0.5;
    private static final RollbackOutcome COMPENSATING = new RollbackOutcome(Kind.COMPENSATING, null, null, null);

    private final Layouts layouts;
    private final FlowLedger ledger;
    private final OrderedRollbacks ordered;
    private final Credits credits;
    private final Outcomes outcomes;
    private final CompensationChannel channel;
    private final CompensationLedger debts;
    private final RollbackConfig config;
    private final Map<Kind, Counter> ended = new EnumMap<>(Kind.class);
    private final Counter duplicates;
    private final Counter failures;

    Rollbacks(
            Layouts layouts,
            FlowLedger ledger,
            OrderedRollbacks ordered,
            Credits credits,
            Outcomes outcomes,
            CompensationChannel channel,
            CompensationLedger debts,
            RollbackConfig config,
            MeterRegistry metrics) {
        this.layouts = layouts;
        this.ledger = ledger;
        this.ordered = ordered;
        this.credits = credits;
        this.outcomes = outcomes;
        this.channel = channel;
        this.debts = debts;
        this.config = config;
        for (Kind kind : Kind.values()) {
            ended.put(
                    kind,
                    Counter.builder("penstock.rollbacks")
                            .description("Rollbacks by how they ended for whoever asked")
                            .tag("outcome", kind.name())
                            .register(metrics));
        }
        this.duplicates = Counter.builder("penstock.rollback.duplicates")
                .description("重复回滚拦截: repeated rollbacks stopped in the ledger or in Redis")
                .register(metrics);
        this.failures = Counter.builder("penstock.rollback.failures")
                .description("Rollbacks that the ledger has and Redis could not be given: owed")
                .register(metrics);
    }

    /**
     * Rolls back and waits for the end: of an ORDERED SKU as long as configured, then it is COMPENSATING, since Kafka has it. Two that ask for the same at once may both be told
     * ROLLED_BACK then. What cannot be decided is COMPENSATING once the compensation channel has it; if that does not take it either, fails as the ledger or the log.
     */
    public Uni<RollbackOutcome> rollBack(RollbackOrder order) {
        return layouts.forRequest(order.skuId())
                .chain(layout -> switch (layout.ordering()) {
                    case SPLIT -> rollBackNow(layout, order).invoke(this::count);
                    case ORDERED ->
                        ordered.finished(order)
                                .chain(flow -> flow.isPresent()
                                        ? rollBackNow(layout, order).invoke(this::count)
                                        : rollBackBehindItsDeduction(order));
                })
                .onFailure(DependencyUnavailable.class)
                .recoverWithUni(undecided -> compensate(order, (DependencyUnavailable) undecided));
    }

    /** The same for whoever need not know the end: ends as soon as the rollback is certain to happen. */
    public Uni<Void> takeOn(RollbackOrder order) {
        return layouts.of(order.skuId())
                .chain(layout -> switch (layout.ordering()) {
                    case SPLIT -> rollBackNow(layout, order).invoke(this::count).replaceWithVoid();
                    case ORDERED -> ordered.send(order);
                })
                .onFailure(DependencyUnavailable.class)
                .recoverWithUni(undecided ->
                        compensate(order, (DependencyUnavailable) undecided).replaceWithVoid());
    }

    /** For whoever has the order written down already: ends once the ledger or, of an ORDERED SKU, Kafka has it, and fails as they do. */
    public Uni<Void> decide(RollbackOrder order) {
        return layouts.of(order.skuId()).chain(layout -> switch (layout.ordering()) {
            case SPLIT -> rollBackNow(layout, order).replaceWithVoid();
            case ORDERED -> ordered.send(order);
        });
    }

    /** Whichever of Kafka and the ledger is not what failed. */
    private Uni<RollbackOutcome> compensate(RollbackOrder order, DependencyUnavailable undecided) {
        Uni<Void> taken = undecided instanceof LogUnavailable
                ? debts.oweRollbacks(List.of(order))
                : channel.take(order, undecided);
        return taken.onFailure()
                .transform(e -> {
                    LOG.warnf(
                            "rollback not decided and not taken sku=%s key=%s reason=%s",
                            order.skuId(), order.deductKey(), e);
                    return undecided;
                })
                .invoke(() -> LOG.infof(
                        "rollback not decided, will be sku=%s key=%s reason=%s",
                        order.skuId(), order.deductKey(), undecided.getMessage()))
                .replaceWith(COMPENSATING)
                .invoke(this::count);
    }

    private void count(RollbackOutcome outcome) {
        ended.get(outcome.kind()).increment();
    }

    private Uni<RollbackOutcome> rollBackNow(Layout layout, RollbackOrder order) {
        return inLedger(List.of(order), layout.strategy() == Strategy.REDIS)
                .chain(rolledBack -> credited(rolledBack.get(0)));
    }

    private Uni<RollbackOutcome> rollBackBehindItsDeduction(RollbackOrder order) {
        return ordered.send(order)
                .chain(() -> ordered.end(order))
                .map(ended -> ended.map(Rollbacks::outcome).orElse(COMPENSATING));
    }

    /** Its first step, in one transaction: what it owes Redis is owed from here on. */
    Uni<List<RolledBack>> inLedger(List<RollbackOrder> orders, boolean owesCredit) {
        return ledger.rollBack(orders, owesCredit)
                .invoke(batch -> {
                    if (batch.outcomesId() != 0) {
                        outcomes.tellSoon(
                                batch.outcomesId(),
                                batch.rollbacks().stream()
                                        .filter(rolledBack -> rolledBack.verdict() != Verdict.FINISHED_BEFORE)
                                        .map(RolledBack::flow)
                                        .map(Outcomes::of)
                                        .toList());
                    }
                })
                .map(RolledBackBatch::rollbacks);
    }

    /** Its second step, counted. Never fails: what Redis does not take stays owed. */
    Uni<RollbackOutcome> credit(RolledBack rolledBack) {
        return credited(rolledBack).invoke(this::count);
    }

    /** Instead of the second step: a credit that is owed is left to the sweeper. Counted. */
    void leaveCredit(RolledBack rolledBack) {
        Flow flow = rolledBack.flow();
        count(flow.credit() == Credit.OWED ? COMPENSATING : outcome(rolledBack.verdict(), flow, null, null));
    }

    private Uni<RollbackOutcome> credited(RolledBack rolledBack) {
        Flow flow = rolledBack.flow();
        if (rolledBack.verdict() == Verdict.FINISHED_BEFORE) {
            duplicates.increment();
        }
        if (flow.credit() != Credit.OWED) {
            return Uni.createFrom().item(outcome(rolledBack.verdict(), flow, flow.bucketNo(), flow.qty()));
        }
        return Uni.createFrom()
                .deferred(() -> credits.give(flow))
                .onFailure()
                .retry()
                .withBackOff(config.firstDelay(), LONGEST_DELAY)
                .withJitter(JITTER)
                .atMost(config.tries() - 1)
                .invoke(given -> {
                    if (given.inRedisBefore() && rolledBack.verdict() != Verdict.FINISHED_BEFORE) {
                        duplicates.increment();
                    }
                })
                .map(given -> outcome(rolledBack.verdict(), flow, given.bucketNo(), given.qty()))
                .onFailure()
                .recoverWithItem(e -> {
                    failures.increment();
                    LOG.warnf(
                            "credit not given, still owed sku=%s key=%s status=%s reason=%s",
                            flow.skuId(), flow.deductKey(), flow.status(), e.getMessage());
                    return COMPENSATING;
                });
    }

    /** Of a flow that is finished and owes nothing. */
    private static RollbackOutcome outcome(Flow ended) {
        Verdict verdict = ended.status() == FlowStatus.ROLLED_BACK ? Verdict.ROLLED_BACK : Verdict.FINISHED_BEFORE;
        return outcome(verdict, ended, ended.bucketNo(), ended.qty());
    }

    private static RollbackOutcome outcome(Verdict verdict, Flow flow, Integer bucketNo, Integer qty) {
        if (flow.status() == FlowStatus.CANCELLED) {
            return new RollbackOutcome(Kind.CANCELLED, null, bucketNo, qty);
        }
        return verdict == Verdict.ROLLED_BACK
                ? new RollbackOutcome(Kind.ROLLED_BACK, null, bucketNo, qty)
                : new RollbackOutcome(Kind.ALREADY_ROLLED_BACK, flow.status(), bucketNo, qty);
    }
}
