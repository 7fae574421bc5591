package io.penstock.compensation;

import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Debt;
import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.Leases;
import io.penstock.platform.Schedules;
import io.penstock.rollback.Credits;
import io.penstock.stock.Credit;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;

/** Gives what is owed, once it is due. */
@ApplicationScoped
public class Sweeper {

    private static final Logger LOG = Logger.getLogger(Sweeper.class);
    private static final int MOST_DOUBLINGS = 16;

    private final CompensationLedger debts;
    private final FlowLedger flows;
    private final Credits credits;
    private final Strays strays;
    private final Leases leases;
    private final CompensationConfig config;

    Sweeper(
            CompensationLedger debts,
            FlowLedger flows,
            Credits credits,
            Strays strays,
            Leases leases,
            CompensationConfig config) {
        this.debts = debts;
        this.flows = flows;
        this.credits = credits;
        this.strays = strays;
        this.leases = leases;
        this.config = config;
    }

    @Scheduled(
            every = "1s",
            delayed = "1s",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP,
            skipExecutionIf = Schedules.Off.class)
    Uni<Void> sweep() {
        return leases.run(
                "sweeper",
                () -> debts.due(config.untouched(), config.sweep())
                        .onItem()
                        .transformToMulti(due -> Multi.createFrom().iterable(due))
                        .onItem()
                        .transformToUni(this::attempt)
                        .merge(config.atOnce())
                        .collect()
                        .last());
    }

    /**
     * Tries now to give what is owed for one key, in the background.
     *
     * @return how many debts there are; 0: nothing is owed
     */
    Uni<Integer> retry(SkuId skuId, DeductKey deductKey) {
        return debts.of(skuId, deductKey).map(owed -> {
            Multi.createFrom()
                    .iterable(owed)
                    .onItem()
                    .transformToUniAndConcatenate(this::attempt)
                    .subscribe()
                    .with(
                            given -> {},
                            e -> LOG.warnf("retry failed sku=%s key=%s reason=%s", skuId, deductKey, e.getMessage()));
            return owed.size();
        });
    }

    private Uni<Void> attempt(Debt debt) {
        return give(debt).onFailure().recoverWithUni(e -> {
            LOG.warnf(
                    "debt not given kind=%s sku=%s key=%s attempts=%d reason=%s",
                    debt.kind(), debt.skuId(), debt.deductKey(), debt.attempts() + 1, e.getMessage());
            return debts.failed(debt, e.getMessage(), delay(debt.attempts()));
        });
    }

    private Uni<Void> give(Debt debt) {
        return switch (debt.kind()) {
            case STRAY -> strays.give(debt);
            case CREDIT ->
                flows.find(debt.skuId(), debt.deductKey())
                        .chain(flow -> flow.map(this::giveCredit)
                                .orElseThrow(() -> new IllegalStateException("a credit without its flow")));
        };
    }

    private Uni<Void> giveCredit(Flow flow) {
        return flow.credit() == Credit.OWED
                ? credits.give(flow).replaceWithVoid()
                : Uni.createFrom().voidItem();
    }

    /** Doubles up to the longest; up to a half of it is left to chance, so that debts of one outage do not come back together. */
    private Duration delay(int attempts) {
        long doubled = config.firstDelay().toMillis() << Math.min(attempts, MOST_DOUBLINGS);
        long longest = Math.min(doubled, config.longestDelay().toMillis());
        return Duration.ofMillis(longest - ThreadLocalRandom.current().nextLong(longest / 2 + 1));
    }
}
