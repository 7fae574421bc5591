package io.penstock.ledger;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Arrays;
import java.util.function.Function;

/**
 * One connection for one transaction. However it ends, and whenever the pool answers, the connection is let go exactly once, and
 * after its end no statement can slip in: it would be committed by the connection's next user.
 *
 * <p>Statements reach the server in the order of their subscription, without waiting for each other.
 */
final class Transaction {

    private SqlConnection connection;
    private boolean over;

    /** Waits for a connection. Canceled while it waits, the connection goes straight back. */
    Uni<Transaction> begin(Pool pool) {
        return Uni.createFrom()
                .emitter(waiting -> pool.getConnection()
                        .onSuccess(taken -> {
                            if (hold(taken)) {
                                waiting.complete(this);
                            }
                        })
                        .onFailure(waiting::fail));
    }

    /** Runs a prepared statement. Nothing is sent before the subscription, and nothing is answered after the end. */
    Uni<RowSet<Row>> execute(String sql, Object... values) {
        return send(open -> open.preparedQuery(sql).execute(Tuple.wrap(Arrays.asList(values))));
    }

    /** The rows it changed, which are those it found only where they are changed by it. */
    Uni<Integer> count(String sql, Object... values) {
        return execute(sql, values).map(RowSet::rowCount);
    }

    Uni<Void> commit() {
        return control("COMMIT");
    }

    Uni<Void> rollBack() {
        return control("ROLLBACK");
    }

    /** Runs a statement of transaction control, which servers do not prepare. */
    Uni<Void> control(String sql) {
        return send(open -> open.query(sql).execute()).replaceWithVoid();
    }

    /** After COMMIT or ROLLBACK. */
    void giveBack() {
        SqlConnection held = end();
        if (held != null) {
            held.close();
        }
    }

    /**
     * Whatever is still in flight is answered first, then ROLLBACK, and only then does the pool get the connection back. If the
     * server answers neither, the connection is closed by its silence, and the server undoes the transaction.
     */
    void undo() {
        SqlConnection held = end();
        if (held != null) {
            held.query("ROLLBACK").execute().onSuccess(done -> held.close());
        }
    }

    /** The connection is never used again: it is closed by its silence. */
    void abandon() {
        end();
    }

    private synchronized boolean hold(SqlConnection taken) {
        if (over) {
            taken.close();
            return false;
        }
        connection = taken;
        return true;
    }

    private Uni<RowSet<Row>> send(Function<SqlConnection, Future<RowSet<Row>>> statement) {
        return Uni.createFrom().emitter(waiting -> {
            Future<RowSet<Row>> sent;
            synchronized (this) {
                if (over) {
                    return;
                }
                sent = statement.apply(connection);
            }
            sent.onSuccess(waiting::complete).onFailure(waiting::fail);
        });
    }

    private synchronized SqlConnection end() {
        over = true;
        SqlConnection held = connection;
        connection = null;
        return held;
    }
}
