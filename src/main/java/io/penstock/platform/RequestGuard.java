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
 * Refuses as a problem what no resource should see: a body of more than 64 KiB, whether it announces its length or comes in chunks; a body without a
 * media type (of no body, the type is passed over); a path with {@code ;}, since what follows would be cut off and {@code order-1;x} would be {@code order-1}. The server's own limit
 * ({@code quarkus.http.limits.max-body-size}) stands behind it and answers without a body.
 */
class RequestGuard {

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
                    if (request.response().writeQueueFull()) {
                        // It sends requests and reads no answers: what waits for it is memory.
                        request.request().connection().close();
                    } else if (announcesTooMuch(request.request())) {
                        refuseTooLarge(request);
                    } else if (request.request().path().contains(";")) {
                        answer(request, ProblemException.invalid("path", "must not have a semicolon"));
                    } else if (hasABodyWithoutAType(request.request())) {
                        ProblemType type = ProblemType.UNSUPPORTED_MEDIA_TYPE;
                        answer(request, ProblemException.of(type, type.explanation()));
                    } else if (announcesNothing(request.request())) {
                        request.request().headers().remove("Content-Type");
                        request.next();
                    } else if (mayComeInChunks(request.request())) {
                        request.request().resume();
                        bodies.handle(request);
                    } else {
                        request.next();
                    }
                })
                .handler(RequestGuard::emptyIsABodyToo)
                .failureHandler(request -> {
                    if (request.statusCode() == TOO_LARGE && !request.response().ended()) {
                        refuseTooLarge(request);
                    } else {
                        request.next();
                    }
                });
    }

    private static boolean hasABodyWithoutAType(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        boolean hasABody = length == null ? request.getHeader("Transfer-Encoding") != null : !length.equals("0");
        return hasABody && request.getHeader("Content-Type") == null;
    }

    private static boolean announcesNothing(HttpServerRequest request) {
        return "0".equals(request.getHeader("Content-Length"));
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

    private static void refuseTooLarge(RoutingContext request) {
        request.request().resume();
        request.response()
                .putHeader("Connection", "close")
                .endHandler(sent -> request.vertx()
                        .setTimer(
                                LINGER_MILLIS,
                                timer -> request.request().connection().close()));
        answer(request, ProblemException.of(ProblemType.BODY_TOO_LARGE, ProblemType.BODY_TOO_LARGE.explanation()));
    }

    private static void answer(RoutingContext request, ProblemException refusal) {
        request.response()
                .setStatusCode(refusal.type().status())
                .putHeader("Content-Type", ProblemMappers.PROBLEM_JSON.toString())
                .end(JsonObject.mapFrom(refusal.problem(request.request().path()))
                        .encode());
    }
}
