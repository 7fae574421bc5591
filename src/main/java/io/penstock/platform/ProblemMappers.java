package io.penstock.platform;

import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns whatever ends a request into a problem. The only place that does. */
class ProblemMappers {

    static final MediaType PROBLEM_JSON = new MediaType("application", "problem+json");

    private static final Logger LOG = Logger.getLogger(ProblemMappers.class);
    private static final int RETRY_AFTER_SECONDS = 1;

    private final AllowedMethods allowed;

    ProblemMappers(AllowedMethods allowed) {
        this.allowed = allowed;
    }

    @ServerExceptionMapper
    RestResponse<Problem> problem(ProblemException e, RoutingContext request) {
        return answer(e, request);
    }

    @ServerExceptionMapper
    RestResponse<Problem> unavailable(DependencyUnavailable e, RoutingContext request) {
        // No stack trace: an outage makes thousands of these, and their cause is a line.
        LOG.warnf("request failed path=%s reason=%s cause=%s", request.request().path(), e.getMessage(), e.getCause());
        return answer(ProblemException.of(ProblemType.UNAVAILABLE, e.getMessage()), request);
    }

    @ServerExceptionMapper
    RestResponse<Problem> overloaded(Overloaded e, RoutingContext request) {
        return answer(ProblemException.of(ProblemType.OVERLOADED, e.getMessage()), request);
    }

    @ServerExceptionMapper
    RestResponse<Problem> framework(WebApplicationException e, RoutingContext request) {
        ProblemType type = switch (e.getResponse().getStatus()) {
            case 400 -> ProblemType.INVALID_REQUEST;
            case 404 -> ProblemType.NOT_FOUND;
            case 405 -> ProblemType.METHOD_NOT_ALLOWED;
            case 406 -> ProblemType.NOT_ACCEPTABLE;
            case 413 -> ProblemType.BODY_TOO_LARGE;
            case 415 -> ProblemType.UNSUPPORTED_MEDIA_TYPE;
            default -> ProblemType.INTERNAL;
        };
        if (type == ProblemType.INTERNAL) {
            LOG.errorf(
                    e,
                    "request failed path=%s status=%d",
                    request.request().path(),
                    e.getResponse().getStatus());
        }
        return answer(ProblemException.of(type, type.explanation()), request);
    }

    @ServerExceptionMapper
    RestResponse<Problem> fault(Throwable e, RoutingContext request) {
        LOG.errorf(e, "request failed path=%s", request.request().path());
        return answer(ProblemException.of(ProblemType.INTERNAL, ProblemType.INTERNAL.explanation()), request);
    }

    private RestResponse<Problem> answer(ProblemException e, RoutingContext request) {
        var response = RestResponse.ResponseBuilder.<Problem>create(e.type().status())
                .entity(e.problem(request.request().path()))
                .type(PROBLEM_JSON);
        return switch (e.type()) {
            case OVERLOADED, STOCK_NOT_LOADED, UNAVAILABLE ->
                response.header("Retry-After", RETRY_AFTER_SECONDS).build();
            case METHOD_NOT_ALLOWED ->
                response.header(
                                HttpHeaders.ALLOW,
                                String.join(", ", allowed.of(request.request().path())))
                        .build();
            default -> response.build();
        };
    }
}
