package io.penstock.gate;

import io.netty.channel.EventLoop;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The lanes, one an event loop, each made when its loop first needs it. */
@ApplicationScoped
class Lanes {

    /** A lane uses one connection a node; in a cluster the client needs a second one to ask for the slots. */
    private static final int CONNECTIONS_PER_NODE = 2;

    private final VertxInternal vertx;
    private final Redis redis;
    private final RedisAddress address;
    private final GateConfig config;
    private final Map<EventLoop, Lane> lanes = new ConcurrentHashMap<>();
    private final AtomicInteger made = new AtomicInteger();

    /**
     * @param redis for what is no sale. Besides, Quarkus reads the settings of a client, and lets {@link RedisAddress} see them, only if it
     *     is injected
     */
    Lanes(Vertx vertx, Redis redis, RedisAddress address, GateConfig config) {
        this.vertx = (VertxInternal) vertx;
        this.redis = redis;
        this.address = address;
        this.config = config;
    }

    Uni<DeductAnswer> deduct(BucketId bucket, DeductKey key, Quantity qty) {
        return Uni.createFrom().emitter(emitter -> {
            ContextInternal caller = ContextInternal.current();
            laneOf(caller).deduct(bucket, key, qty, caller, emitter);
        });
    }

    Uni<Response> call(Script script, BucketId bucket, List<String> args) {
        return Uni.createFrom().emitter(emitter -> {
            ContextInternal caller = ContextInternal.current();
            laneOf(caller).call(script, bucket, args, caller, emitter);
        });
    }

    /** A setting of the server; empty if it may not be read. */
    Uni<String> setting(String name) {
        return Uni.createFrom()
                .completionStage(() -> redis.send(
                                Request.cmd(Command.CONFIG).arg("GET").arg(name))
                        .map(found -> found.size() == 0 ? "" : found.get(name).toString())
                        .otherwise(refused -> "")
                        .toCompletionStage())
                .ifNoItem()
                .after(config.timeout())
                .failWith(() -> new GateUnavailable("the gate did not answer in time", null));
    }

    @PreDestroy
    void close() {
        lanes.values().forEach(Lane::close);
    }

    /** By loop, not by context: every HTTP request has a context of its own on its connection's loop. */
    private Lane laneOf(ContextInternal caller) {
        ContextInternal context = caller == null ? vertx.getOrCreateContext() : caller;
        return lanes.computeIfAbsent(context.nettyEventLoop(), this::newLane);
    }

    private Lane newLane(EventLoop loop) {
        // A root context: a request's own would keep that request's data alive, and mix it into everybody's calls.
        ContextInternal root = vertx.createEventLoopContext(loop, null, Lanes.class.getClassLoader());
        RedisOptions options = address.options()
                .setPoolName("gate-" + made.incrementAndGet()) // pool metrics tell the lanes apart
                .setMaxPoolSize(CONNECTIONS_PER_NODE)
                .setMaxPoolWaiting(CONNECTIONS_PER_NODE * 8)
                .setMaxWaitingHandlers(config.maxUnanswered());
        return new Lane(root, options, config);
    }
}
