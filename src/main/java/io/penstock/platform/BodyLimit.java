package io.penstock.platform;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.ext.web.impl.RoutingContextInternal;
import jakarta.enterprise.event.Observes;

/**
 * Refuses a body of more than 64 KiB as a problem, whether it announces its length or comes in chunks, before any resource sees it. The server's own limit
 * ({@code quarkus.http.limits.max-body-size}) stands behind it and answers without a body.
 */
class BodyLimit {

    static final int MAX_BYTES = 64 * 1024;

    private static final int BEFORE_THE_SERVER_S_OWN_LIMIT = -500;
    private static final int TOO_LARGE = 413;
    private static final int MAX_DIGITS = 9;

    /** What is on its way is read and dropped for so long: closed at once, a client that still writes would miss the answer. */
    private static final long LINGER_MILLIS = 1000;

    void register(@Observes Router router) {
        BodyHandler bodies = BodyHandler.create(false).setBodyLimit(MAX_BYTES);
        router.route()
                .order(BEFORE_THE_SERVER_S_OWN_LIMIT)
                .handler(request -> {
                    if (announcesTooMuch(request.request())) {
                        refuse(request);
                    } else if (mayComeInChunks(request.request())) {
                        request.request().resume();
                        bodies.handle(request);
                    } else {
                        request.next();
                    }
                })
                .handler(BodyLimit::emptyIsABodyToo)
                .failureHandler(request -> {
                    if (request.statusCode() == TOO_LARGE && !request.response().ended()) {
                        refuse(request);
                    } else {
                        request.next();
                    }
                });
    }

    private static boolean announcesTooMuch(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        return length != null && (length.length() > MAX_DIGITS || Long.parseLong(length) > MAX_BYTES);
    }

    private static boolean mayComeInChunks(HttpServerRequest request) {
        return switch (request.method().name()) {
            case "POST", "PUT", "PATCH", "DELETE" -> request.getHeader("Content-Length") == null;
            default -> false;
        };
    }

    /** What has been read here is not read again: without a body set, a resource would wait for one for ever. */
    private static void emptyIsABodyToo(RoutingContext request) {
        if (mayComeInChunks(request.request()) && request.body().buffer() == null) {
            ((RoutingContextInternal) request).setBody(Buffer.buffer());
        }
        request.next();
    }

    private static void refuse(RoutingContext request) {
        request.request().resume();
        ProblemType type = ProblemType.BODY_TOO_LARGE;
        request.response()
                .setStatusCode(type.status())
                .putHeader("Content-Type", ProblemMappers.PROBLEM_JSON.toString())
                .putHeader("Connection", "close")
                .endHandler(sent -> request.vertx()
                        .setTimer(
                                LINGER_MILLIS,
                                timer -> request.request().connection().close()))
                .end(JsonObject.mapFrom(ProblemException.of(type, type.explanation())
                                .problem(request.request().path()))
                        .encode());
    }
}
