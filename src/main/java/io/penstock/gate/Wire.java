package io.penstock.gate;

import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One event loop's pipelined connection to Redis (in a cluster, one to each node), opened on that loop and used on it alone.
 *
 * <p>A connection in doubt, because a call timed out or the socket closed, is replaced: at once the first time, then with
 * growing pauses. Until its replacement stands it stays in use, since in a cluster the doubt is about one node and the others
 * still answer.
 */
final class Wire {

    /** Told, on the wire's loop, how tries to connect end. */
    interface Watcher {

        void opened();

        void notOpened(Throwable cause);
    }

    enum State {
        /** {@link #connection()} may be used. */
        OPEN,
        /** A try to connect is under way; the watcher will hear. */
        OPENING,
        /** Redis could not be reached, and the next try is not due yet. */
        AWAY
    }

    private static final long FIRST_PAUSE_MILLIS = 50;

    private final ContextInternal loop;
    private final RedisOptions options;
    private final Watcher watcher;
    private final long timeoutMillis;
    private final long maxPauseMillis;

    private Redis client;
    private RedisConnection connection;
    private long openedAtNanos;
    private boolean trying;
    private boolean pausing;
    private boolean closed;
    /** Tries since a connection last stood for as long as the longest pause: the pause grows with it. */
    private int tries;
    /** Every try begins with another node: one that hangs must not be asked first for ever. */
    private int rotation;

    Wire(ContextInternal loop, RedisOptions options, Duration timeout, Duration maxPause, Watcher watcher) {
        this.loop = loop;
        this.options = options;
        this.watcher = watcher;
        this.timeoutMillis = timeout.toMillis();
        this.maxPauseMillis = maxPause.toMillis();
    }

    State state() {
        if (connection != null) {
            return State.OPEN;
        }
        return pausing || closed ? State.AWAY : State.OPENING;
    }

    /** Only while {@link State#OPEN}. */
    RedisConnection connection() {
        return connection;
    }

    /** Opens the wire for its first call. */
    void open() {
        if (connection == null && !trying && !pausing && !closed) {
            tryToOpen();
        }
    }

    /** Something went wrong that is not Redis's own answer: replaces the connection, unless that is under way. */
    void doubt() {
        if (trying || pausing || closed) {
            return;
        }
        if (System.nanoTime() - openedAtNanos > TimeUnit.MILLISECONDS.toNanos(maxPauseMillis)) {
            tries = 0;
        }
        pauseAndOpen();
    }

    void close() {
        closed = true;
        connection = null;
        if (client != null) {
            client.close();
        }
    }

    private void pauseAndOpen() {
        long pause = nextPauseMillis();
        if (pause == 0) {
            tryToOpen();
            return;
        }
        pausing = true;
        loop.owner().setTimer(pause, timer -> {
            pausing = false;
            if (!closed) {
                tryToOpen();
            }
        });
    }

    /** 0, then 50 ms doubled with every try up to the limit; up to a half is left to chance, or all loops would knock at once. */
    private long nextPauseMillis() {
        int n = tries++;
        if (n == 0) {
            return 0;
        }
        long pause = Math.min(maxPauseMillis, FIRST_PAUSE_MILLIS << Math.min(n - 1, 20));
        return pause - ThreadLocalRandom.current().nextLong(pause / 2);
    }

    private void tryToOpen() {
        trying = true;
        Redis next = Redis.createClient(loop.owner(), rotated());
        Promise<RedisConnection> opened = loop.promise();
        // The client waits for ever for a server that accepts and then says nothing.
        long limit = loop.owner().setTimer(timeoutMillis, timer -> opened.tryFail("not connected in time"));
        next.connect().onSuccess(opened::tryComplete).onFailure(opened::tryFail);
        opened.future().onComplete(result -> {
            loop.owner().cancelTimer(limit);
            trying = false;
            if (closed) {
                next.close();
            } else if (result.succeeded()) {
                replaceBy(next, result.result());
                watcher.opened();
            } else {
                next.close();
                pauseAndOpen();
                watcher.notOpened(result.cause());
            }
        });
    }

    private void replaceBy(Redis nextClient, RedisConnection nextConnection) {
        Redis before = client;
        client = nextClient;
        connection = nextConnection;
        openedAtNanos = System.nanoTime();
        nextConnection.endHandler(end -> doubt(nextConnection));
        nextConnection.exceptionHandler(failure -> doubt(nextConnection)); // its calls fail, and say why
        if (before != null) {
            // Its calls in flight have this long to be answered, and are given up then. Each reply finds its own call:
            // the
            // old connection keeps its own queue, so none can be taken for another's.
            loop.owner().setTimer(timeoutMillis, timer -> before.close());
        }
    }

    private void doubt(RedisConnection which) {
        if (connection == which) {
            doubt();
        }
    }

    private RedisOptions rotated() {
        List<String> endpoints = new ArrayList<>(options.getEndpoints());
        Collections.rotate(endpoints, -rotation++);
        return new RedisOptions(options).setEndpoints(endpoints);
    }
}
