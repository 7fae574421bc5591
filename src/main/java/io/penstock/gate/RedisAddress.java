package io.penstock.gate;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.vertx.redis.client.RedisOptions;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * How Quarkus would reach Redis: {@code quarkus.redis} with its TLS, names and topology. The gate opens connections of its
 * own with it, one an event loop, since a pool lends a connection to one call at a time.
 */
@ApplicationScoped
class RedisAddress implements RedisOptionsCustomizer {

    private volatile RedisOptions options;

    @Override
    public void customize(String clientName, RedisOptions options) {
        if ("<default>".equals(clientName)) {
            this.options = new RedisOptions(options);
        }
    }

    /** A copy, for the caller to change. */
    RedisOptions options() {
        return new RedisOptions(options);
    }
}
