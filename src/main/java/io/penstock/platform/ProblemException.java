package io.penstock.platform;

import java.util.List;

/** Ends a request with a problem. Carries no stack trace: it is an answer, not a fault. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ProblemType type;
    private final Integer code;
    private final Boolean soldOut;
    private final String finished;
    private final transient List<Violation> violations;

    private ProblemException(
            ProblemType type,
            String detail,
            Integer code,
            Boolean soldOut,
            String finished,
            List<Violation> violations) {
        super(detail, null, false, false);
        this.type = type;
        this.code = code;
        this.soldOut = soldOut;
        this.finished = finished;
        this.violations = violations;
    }

    public static ProblemException of(ProblemType type, String detail) {
        return new ProblemException(type, detail, null, null, null, null);
    }

    /** With the number that the script, or its database twin, answered. */
    public static ProblemException answered(ProblemType type, String detail, int code) {
        return new ProblemException(type, detail, code, null, null, null);
    }

    public static ProblemException insufficient(String detail, int code, boolean soldOut) {
        return new ProblemException(ProblemType.INSUFFICIENT_STOCK, detail, code, soldOut, null, null);
    }

    /** @param finished the final status, null if only a tombstone tells of it */
    public static ProblemException finished(String detail, int code, String finished) {
        return new ProblemException(ProblemType.DEDUCTION_FINISHED, detail, code, null, finished, null);
    }

    public static ProblemException invalid(String detail, List<Violation> violations) {
        return new ProblemException(ProblemType.INVALID_REQUEST, detail, null, null, null, violations);
    }

    public static ProblemException invalid(String field, String message) {
        return invalid(field + " " + message, List.of(new Violation(field, message)));
    }

    public ProblemType type() {
        return type;
    }

    Problem problem(String instance) {
        return new Problem(
                "/problems/" + type.slug(),
                type.title(),
                type.status(),
                getMessage(),
                instance,
                code,
                soldOut,
                finished,
                violations);
    }
}
