package io.penstock.campaign;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A line to a server, with what can happen to lines. It begins without faults; each method is in force until another one is called. One event loop does all the
 * work, so that nothing overtakes anything.
 */
public final class FaultProxy implements AutoCloseable {

    private enum Mode {
        PASS,
        DELAY,
        HOLD_REPLIES,
        HOLD,
        RESET,
        DROP_REPLIES
    }

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final NetServer proxy;
    private final Set<Line> lines = new HashSet<>();
    private volatile boolean closed;
    private String host;
    private int port;
    private Mode mode = Mode.PASS;
    private long delayMillis;

    /** A line to nowhere, until it is told whom it leads to. */
    public FaultProxy() {
        // Closed at once and not in order: a reset, not an end.
        this.proxy =
                vertx.createNetServer(new NetServerOptions().setSoLinger(0)).connectHandler(this::connect);
        proxy.listen(0, "localhost").toCompletionStage().toCompletableFuture().join();
    }

    public void leadTo(String host, int port) {
        onLoop(() -> {
            this.host = host;
            this.port = port;
        });
    }

    /** Where clients find it, on localhost. */
    public int port() {
        return proxy.actualPort();
    }

    /** What was held is delivered, late, to whoever is still there; the line is good. */
    public void heal() {
        onLoop(() -> {
            mode = Mode.PASS;
            // One that is released may end, and leave the set.
            List.copyOf(lines).forEach(Line::release);
        });
    }

    /** All bytes are late by so much, each way. */
    public void delay(Duration each) {
        onLoop(() -> {
            mode = Mode.DELAY;
            delayMillis = each.toMillis();
        });
    }

    /** The server hears everything and is heard no more, as if it hung in the middle of its answers. */
    public void holdReplies() {
        onLoop(() -> mode = Mode.HOLD_REPLIES);
    }

    /** A black hole: nothing arrives, either way, and no connection ends. */
    public void hold() {
        onLoop(() -> mode = Mode.HOLD);
    }

    /** All connections are reset, and so is every new one. */
    public void reset() {
        onLoop(() -> {
            mode = Mode.RESET;
            cutAll();
        });
    }

    /** The server does what it is asked; instead of its reply a reset arrives. */
    public void dropReplies() {
        onLoop(() -> mode = Mode.DROP_REPLIES);
    }

    /** All connections end at once; new ones are as good as the line is. */
    public void cut() {
        onLoop(this::cutAll);
    }

    /** Replies that are held back now. */
    public int repliesHeld() {
        CompletableFuture<Integer> held = new CompletableFuture<>();
        onLoop(() -> held.complete(
                lines.stream().mapToInt(line -> line.replies.waiting.size()).sum()));
        return held.join();
    }

    /** Nobody can reach it any more; whatever it is asked afterwards does nothing. */
    @Override
    public void close() {
        cut();
        closed = true;
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void onLoop(Runnable step) {
        if (closed) {
            return;
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        vertx.runOnContext(nothing -> {
            try {
                step.run();
                done.complete(null);
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        done.join();
    }

    private void cutAll() {
        Set.copyOf(lines).forEach(Line::cut);
    }

    private void connect(NetSocket client) {
        if (mode == Mode.RESET) {
            client.close();
            return;
        }
        client.pause();
        vertx.createNetClient()
                .connect(port, host)
                .onSuccess(server -> new Line(client, server).open())
                .onFailure(nobodyThere -> client.close());
    }

    private final class Line {

        private final NetSocket client;
        private final NetSocket server;
        private final Flow requests = new Flow(Mode.HOLD);
        private final Flow replies = new Flow(Mode.HOLD, Mode.HOLD_REPLIES);

        Line(NetSocket client, NetSocket server) {
            this.client = client;
            this.server = server;
        }

        void open() {
            lines.add(this);
            client.handler(bytes -> requests.pass(() -> server.write(bytes)));
            server.handler(bytes -> {
                if (mode == Mode.DROP_REPLIES) {
                    cut();
                } else {
                    replies.pass(() -> client.write(bytes));
                }
            });
            // What a client sent before it went still arrives.
            client.closeHandler(end -> requests.pass(this::cut));
            server.closeHandler(end -> replies.pass(this::cut));
            client.resume();
        }

        void release() {
            requests.release();
            replies.release();
        }

        void cut() {
            lines.remove(this);
            client.close();
            server.close();
        }
    }

    /** One direction of a line. */
    private final class Flow {

        private final Set<Mode> heldIn;
        private final Queue<Runnable> waiting = new ArrayDeque<>();

        Flow(Mode... heldIn) {
            this.heldIn = Set.of(heldIn);
        }

        void pass(Runnable step) {
            if (heldIn.contains(mode)) {
                waiting.add(step);
            } else if (mode == Mode.DELAY || !waiting.isEmpty()) {
                waiting.add(step);
                vertx.setTimer(Math.max(1, delayMillis), due -> takeOne());
            } else {
                step.run();
            }
        }

        private void takeOne() {
            Runnable step = waiting.poll();
            if (step != null) {
                step.run();
            }
        }

        void release() {
            while (!waiting.isEmpty()) {
                takeOne();
            }
        }
    }
}
