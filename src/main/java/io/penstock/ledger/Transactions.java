package io.penstock.ledger;

import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Uni;
import io.vertx.mysqlclient.MySQLException;
import io.vertx.sqlclient.Pool;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.function.Function;

/**
 * Runs transactions, the only way to the ledger's connections. Each ends within {@code penstock.ledger.timeout}, is begun again
 * when it lost a deadlock or a wait for a lock, and fails with {@link LedgerUnavailable} and nothing else, refusals apart.
 *
 * <p>May be called from any thread. Nothing happens before the subscription, and each subscription is a transaction of its own.
 */
@ApplicationScoped
class Transactions {

    private static final int LOCK_WAIT = 1205;
    private static final int DEADLOCK = 1213;
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(5);
    private static final Duration LONGEST_BACKOFF = Duration.ofMillis(200);

    private final Pool pool;
    private final LedgerConfig config;

    Transactions(Pool pool, LedgerConfig config) {
        this.pool = pool;
        this.config = config;
    }

    /** Runs {@code work} and ends it as it says. It may run several times, each on a clean transaction. */
    <T> Uni<T> run(Function<Transaction, Uni<Ending<T>>> work) {
        Uni<Ending<T>> repeated = Uni.createFrom()
                .deferred(() -> once(work))
                .onFailure(Transactions::lostARace)
                .retry()
                .withBackOff(FIRST_BACKOFF, LONGEST_BACKOFF)
                .withJitter(0.5)
                .atMost(config.retries());
        return bounded(repeated)
                .flatMap(ending -> ending.refusal() == null
                        ? Uni.createFrom().item(ending.answer())
                        : Uni.createFrom().failure(ending.refusal()));
    }

    /** Reads without keeping anything. */
    <T> Uni<T> read(Function<Transaction, Uni<T>> work) {
        return run(transaction -> work.apply(transaction).map(Ending::keep));
    }

    /**
     * Reads at one instant, for as long as {@code reading} takes. Its statements are to be {@link #bounded} one by one; its own
     * failures reach the caller unchanged.
     */
    <T> Uni<T> snapshot(Function<Transaction, Uni<T>> reading) {
        return Uni.createFrom().deferred(() -> {
            Transaction transaction = new Transaction();
            return bounded(transaction.begin(pool).call(Transactions::beginSnapshot))
                    // The next transaction on this connection might read at the wrong isolation: it is not used again.
                    .onFailure()
                    .invoke(transaction::abandon)
                    .flatMap(begun -> reading.apply(begun))
                    .onTermination()
                    .invoke(transaction::undo);
        });
    }

    private static Uni<Void> beginSnapshot(Transaction transaction) {
        return transaction
                .control("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                .chain(() -> transaction.control("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"));
    }

    /** Gives an I/O its time, and its failure a type. */
    <T> Uni<T> bounded(Uni<T> io) {
        return io.ifNoItem()
                .after(config.timeout())
                .failWith(() -> new LedgerUnavailable("The ledger did not answer in time.", null))
                .onFailure(failure -> !(failure instanceof LedgerUnavailable))
                .transform(failure -> new LedgerUnavailable("The ledger failed.", failure));
    }

    private <T> Uni<Ending<T>> once(Function<Transaction, Uni<Ending<T>>> work) {
        Transaction transaction = new Transaction();
        return transaction
                .begin(pool)
                .flatMap(begun -> work.apply(begun))
                .call(ending -> ending.kept() ? transaction.commit() : transaction.rollBack())
                .onItem()
                .invoke(transaction::giveBack)
                .onFailure()
                .invoke(transaction::undo)
                .onCancellation()
                .invoke(transaction::undo);
    }

    /** The server has chosen this transaction as the one to give way, and says so. */
    private static boolean lostARace(Throwable failure) {
        if (failure instanceof CompositeException several) {
            return several.getCauses().stream().anyMatch(Transactions::lostARace);
        }
        return failure instanceof MySQLException answer
                && (answer.getErrorCode() == DEADLOCK || answer.getErrorCode() == LOCK_WAIT);
    }
}
