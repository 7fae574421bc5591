package io.penstock.platform;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns whatever ends a request into a problem. The only place that does. */
class ProblemMappers {

    static final MediaType PROBLEM_JSON = new MediaType("application", "problem+json");

    private static final Logger LOG = Logger.getLogger(ProblemMappers.class);
    private static final int RETRY_AFTER_SECONDS = 1;

    @ServerExceptionMapper
    RestResponse<Problem> problem(ProblemException e, UriInfo uri) {
        return answer(e, uri);
    }

    @ServerExceptionMapper
    RestResponse<Problem> unavailable(DependencyUnavailable e, UriInfo uri) {
        LOG.warnf(e, "request failed path=%s reason=%s", uri.getPath(), e.getMessage());
        return answer(ProblemException.of(ProblemType.UNAVAILABLE, e.getMessage()), uri);
    }

    @ServerExceptionMapper
    RestResponse<Problem> overloaded(Overloaded e, UriInfo uri) {
        return answer(ProblemException.of(ProblemType.OVERLOADED, e.getMessage()), uri);
    }

    @ServerExceptionMapper
    RestResponse<Problem> framework(WebApplicationException e, UriInfo uri) {
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
                    uri.getPath(),
                    e.getResponse().getStatus());
        }
        return answer(ProblemException.of(type, type.explanation()), uri);
    }

    @ServerExceptionMapper
    RestResponse<Problem> fault(Throwable e, UriInfo uri) {
        LOG.errorf(e, "request failed path=%s", uri.getPath());
        return answer(ProblemException.of(ProblemType.INTERNAL, ProblemType.INTERNAL.explanation()), uri);
    }

    private static RestResponse<Problem> answer(ProblemException e, UriInfo uri) {
        var response = RestResponse.ResponseBuilder.<Problem>create(e.type().status())
                .entity(e.problem(uri.getPath()))
                .type(PROBLEM_JSON);
        return switch (e.type()) {
            case OVERLOADED, STOCK_NOT_LOADED, UNAVAILABLE ->
                response.header("Retry-After", RETRY_AFTER_SECONDS).build();
            default -> response.build();
        };
    }
}
