package io.penstock.gate;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands between the gate and Redis and lets a test hold replies back, let them go, or cut the line. */
final class FaultProxy implements AutoCloseable {

    private final Vertx vertx;
    private final NetServer server;
    private final String redisHost;
    private final int redisPort;
    private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
    private final List<Runnable> held = new ArrayList<>();
    private boolean holding;

    FaultProxy(Vertx vertx, String redis) {
        URI address = URI.create(redis);
        this.vertx = vertx;
        this.redisHost = address.getHost();
        this.redisPort = address.getPort() == -1 ? 6379 : address.getPort();
        this.server = vertx.createNetServer().connectHandler(this::connect);
        wait(server.listen(0, "localhost"));
    }

    String address() {
        return "redis://localhost:" + server.actualPort();
    }

    /** From now on Redis hears everything and is heard no more, as if it hung in the middle of its answers. */
    synchronized void holdReplies() {
        holding = true;
    }

    /** What was held back is delivered, late, to whoever is still there. */
    synchronized void releaseReplies() {
        holding = false;
        held.forEach(Runnable::run);
        held.clear();
    }

    synchronized int repliesHeld() {
        return held.size();
    }

    /** All connections end at once. */
    void cut() {
        sockets.forEach(NetSocket::close);
    }

    @Override
    public void close() {
        cut();
        wait(server.close());
    }

    private void connect(NetSocket client) {
        client.pause();
        sockets.add(client);
        vertx.createNetClient().connect(redisPort, redisHost).onSuccess(redis -> {
            sockets.add(redis);
            client.handler(redis::write);
            redis.handler(reply -> forward(client, reply));
            client.closeHandler(end -> close(client, redis));
            redis.closeHandler(end -> close(redis, client));
            client.resume();
        });
    }

    private synchronized void forward(NetSocket client, Buffer reply) {
        if (holding) {
            held.add(() -> client.write(reply));
        } else {
            client.write(reply);
        }
    }

    private void close(NetSocket ended, NetSocket other) {
        sockets.remove(ended);
        other.close();
    }

    private static <T> T wait(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }
}
