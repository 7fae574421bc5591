package io.penstock.campaign;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Redis by plain commands, past the gate. */
final class PlainRedis implements AutoCloseable {

    private static final long SECONDS = 10;

    private final Vertx vertx = Vertx.vertx();
    private final Redis redis;

    /** @param address host and port with a colon between */
    PlainRedis(String address) {
        redis = Redis.createClient(vertx, "redis://" + address);
    }

    /** The reply, null where Redis has none. */
    Response send(Command command, Object... arguments) throws Exception {
        Request request = Request.cmd(command);
        for (Object argument : arguments) {
            request.arg(argument.toString());
        }
        return redis.send(request).toCompletionStage().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
    }

    String string(String key) throws Exception {
        return String.valueOf(send(Command.GET, key));
    }

    Map<String, String> hash(String key) throws Exception {
        Response all = send(Command.HGETALL, key);
        Map<String, String> hash = new TreeMap<>();
        for (String field : all.getKeys()) {
            hash.put(field, all.get(field).toString());
        }
        return hash;
    }

    @Override
    public void close() {
        redis.close();
        vertx.close();
    }
}
