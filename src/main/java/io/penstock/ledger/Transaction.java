package io.penstock.ledger;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Arrays;

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

    /** Runs a prepared statement. Nothing is sent before the subscription. */
    Uni<RowSet<Row>> execute(String sql, Object... values) {
        return Uni.createFrom()
                .emitter(waiting ->
                        send(sql, values).onSuccess(waiting::complete).onFailure(waiting::fail));
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
        return Uni.createFrom()
                .emitter(waiting -> sendControl(sql)
                        .onSuccess(done -> waiting.complete(null))
                        .onFailure(waiting::fail));
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

    private synchronized Future<RowSet<Row>> send(String sql, Object[] values) {
        return over ? afterTheEnd() : connection.preparedQuery(sql).execute(Tuple.wrap(Arrays.asList(values)));
    }

    private synchronized Future<RowSet<Row>> sendControl(String sql) {
        return over ? afterTheEnd() : connection.query(sql).execute();
    }

    private synchronized SqlConnection end() {
        over = true;
        SqlConnection held = connection;
        connection = null;
        return held;
    }

    private static Future<RowSet<Row>> afterTheEnd() {
        return Future.failedFuture(new IllegalStateException("The transaction is over."));
    }
}
