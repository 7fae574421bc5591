package io.penstock.platform;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;

/**
 * Refuses a body that announces more than 64 KiB before it is read, as a problem. What comes in chunks is cut off by
 * {@code quarkus.http.limits.max-body-size}.
 */
class BodyLimit {

    static final int MAX_BYTES = 64 * 1024;

    private static final int BEFORE_THE_SERVER_S_OWN_LIMIT = 500;

    void register(@Observes Filters filters) {
        filters.register(BodyLimit::check, BEFORE_THE_SERVER_S_OWN_LIMIT);
    }

    private static void check(RoutingContext request) {
        String length = request.request().getHeader("Content-Length");
        if (length == null || length.length() < 10 && Long.parseLong(length) <= MAX_BYTES) {
            request.next();
            return;
        }
        ProblemType type = ProblemType.BODY_TOO_LARGE;
        request.response()
                .setStatusCode(type.status())
                .putHeader("Content-Type", ProblemMappers.PROBLEM_JSON.toString())
                .putHeader("Connection", "close")
                .end(JsonObject.mapFrom(
                                ProblemException.of(type, type.explanation()).problem(request.normalizedPath()))
                        .encode());
    }
}
