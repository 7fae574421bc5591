package io.penstock.ledger;

import io.quarkus.reactive.mysql.client.MySQLPoolCreator;
import io.vertx.core.Future;
import io.vertx.mysqlclient.MySQLBuilder;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnectOptions;
import io.vertx.sqlclient.SqlConnection;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Makes the connections of the ledger. Each is READ COMMITTED, strict, in UTC, and has no autocommit: statements are sent without
 * waiting for each other, and after a deadlock, which ends the transaction, the next one must not commit by itself.
 */
@Singleton
class LedgerPool implements MySQLPoolCreator {

    private static final Logger LOG = Logger.getLogger(LedgerPool.class);

    /** Statements in flight on one connection. A transaction sends no more at a time. */
    private static final int PIPELINE = 8;

    private final LedgerConfig config;

    LedgerPool(LedgerConfig config) {
        if (config.timeout().isNegative()
                || config.timeout().isZero()
                || config.silence().compareTo(config.timeout()) <= 0) {
            throw new IllegalArgumentException(
                    "penstock.ledger.timeout must be above 0, and penstock.ledger.silence above it");
        }
        this.config = config;
    }

    @Override
    public Pool create(Input input) {
        List<SqlConnectOptions> servers =
                input.mySQLConnectOptionsList().stream().map(this::bounded).toList();
        return MySQLBuilder.pool()
                .using(input.vertx())
                .with(input.poolOptions().setMaxWaitQueueSize(config.maxWaiting()))
                .connectingTo(servers)
                .withConnectHandler(this::prepare)
                .build();
    }

    private SqlConnectOptions bounded(MySQLConnectOptions server) {
        MySQLConnectOptions bounded = new MySQLConnectOptions(server).setPipeliningLimit(PIPELINE);
        bounded.setConnectTimeout((int) config.timeout().toMillis());
        bounded.setIdleTimeout((int) config.silence().toMillis()).setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
        return bounded;
    }

    /** Closing hands the connection to the pool. One that could not be prepared is never handed over: it ends by its silence. */
    private void prepare(SqlConnection connection) {
        run(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
                .compose(done -> run(
                        connection,
                        "SET SESSION autocommit = 0, time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = "
                                + config.lockWaitSeconds()))
                .onSuccess(done -> connection.close())
                .onFailure(failure -> LOG.warn("A connection to the ledger could not be prepared", failure));
    }

    private static Future<?> run(SqlConnection connection, String sql) {
        return connection.query(sql).execute();
    }
}
