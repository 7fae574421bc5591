package io.penstock.platform;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * A request's JSON object, read strictly: no unknown, duplicate or trailing content, integers written as integers. Every
 * field is checked before {@link #check()} ends the request with all violations at once, so nothing is half done.
 *
 * <p>Fields come out as values of {@code stock}, whose constructors say what is allowed.
 */
public final class JsonBody {

    private final JsonNode object;
    private final List<Violation> violations = new ArrayList<>();

    private JsonBody(JsonNode object) {
        this.object = object;
    }

    /**
     * @param known the fields this request may have
     * @throws ProblemException 400 if the bytes are not one JSON object
     */
    public static JsonBody read(byte[] bytes, String... known) {
        if (bytes == null || bytes.length == 0) {
            throw ProblemException.invalid("body", "must be a JSON object");
        }
        return readOptional(bytes, known);
    }

    /** The same, but no body at all stands for an object without fields. */
    public static JsonBody readOptional(byte[] bytes, String... known) {
        if (bytes == null || bytes.length == 0) {
            return new JsonBody(JsonNodeFactory.instance.objectNode());
        }
        JsonBody body = new JsonBody(parse(bytes));
        List<String> names = List.of(known);
        for (Iterator<String> fields = body.object.fieldNames(); fields.hasNext(); ) {
            String field = fields.next();
            if (!names.contains(field)) {
                body.violation(shown(field), "is not known here");
            }
        }
        return body;
    }

    private static JsonNode parse(byte[] bytes) {
        JsonNode node;
        try {
            node = StrictJson.read(bytes);
        } catch (CharacterCodingException e) {
            throw ProblemException.invalid("body", "is not valid UTF-8");
        } catch (JsonProcessingException e) {
            throw ProblemException.invalid("body", "is not valid JSON: " + reason(e));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (node == null || !node.isObject()) {
            throw ProblemException.invalid("body", "must be a JSON object");
        }
        return node;
    }

    /** Where, without what: the parser's own words quote the input and name classes. */
    private static String reason(JsonProcessingException e) {
        String duplicate = "Duplicate field";
        String why = e.getOriginalMessage() != null && e.getOriginalMessage().startsWith(duplicate)
                ? "a field comes twice"
                : "malformed";
        return e.getLocation() == null
                ? why
                : why + " at line " + e.getLocation().getLineNr() + " column "
                        + e.getLocation().getColumnNr();
    }

    private static String shown(String field) {
        String printable = field.replaceAll("[^\\x20-\\x7e]", "?");
        return printable.length() > 64 ? printable.substring(0, 64) + "…" : printable;
    }

    /** A string that must be there. Null if it is missing or wrong, which {@link #check()} will say. */
    public <T> T string(String field, Function<String, T> value) {
        return object.hasNonNull(field) ? optionalString(field, value) : missing(field);
    }

    /** A string that may be left out (or null). */
    public <T> T optionalString(String field, Function<String, T> value) {
        JsonNode node = object.get(field);
        if (node == null || node.isNull()) {
            return null;
        }
        if (!node.isTextual()) {
            violation(field, "must be a JSON string");
            return null;
        }
        try {
            return value.apply(node.textValue());
        } catch (IllegalArgumentException e) {
            violation(field, e.getMessage());
            return null;
        }
    }

    /** One of an enum's names. */
    public <E extends Enum<E>> E optionalEnum(String field, Class<E> type, E absent) {
        E value = optionalString(field, name -> {
            for (E constant : type.getEnumConstants()) {
                if (constant.name().equals(name)) {
                    return constant;
                }
            }
            throw new IllegalArgumentException("must be one of " + List.of(type.getEnumConstants()));
        });
        return value == null ? absent : value;
    }

    /** One of an enum's names that must be there. */
    public <E extends Enum<E>> E requiredEnum(String field, Class<E> type) {
        return object.hasNonNull(field) ? optionalEnum(field, type, null) : missing(field);
    }

    /** An integer, written as one, that must be there. */
    public <T> T integer(String field, LongFunction<T> value) {
        return object.hasNonNull(field) ? optionalInteger(field, value) : missing(field);
    }

    /** An integer that may be left out (or null). */
    public <T> T optionalInteger(String field, LongFunction<T> value) {
        JsonNode node = object.get(field);
        if (node == null || node.isNull()) {
            return null;
        }
        if (!node.isIntegralNumber()) {
            violation(field, "must be a JSON integer");
            return null;
        }
        try {
            // Beyond a long: any limit refuses the nearest long just as well.
            return value.apply(
                    node.canConvertToLong()
                            ? node.longValue()
                            : node.bigIntegerValue().signum() * Long.MAX_VALUE);
        } catch (IllegalArgumentException e) {
            violation(field, e.getMessage());
            return null;
        }
    }

    public void violation(String field, String message) {
        violations.add(new Violation(field, message));
    }

    /** @throws ProblemException 400 with everything that is wrong */
    public void check() {
        if (!violations.isEmpty()) {
            Violation first = violations.get(0);
            throw ProblemException.invalid(first.field() + " " + first.message(), List.copyOf(violations));
        }
    }

    private <T> T missing(String field) {
        violation(field, "must be given");
        return null;
    }

    /** A value from the path or the query; wrong ones end the request at once. */
    public static <T> T parameter(String name, String raw, Function<String, T> value) {
        try {
            return value.apply(raw);
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalid(name, e.getMessage());
        }
    }

    /** Free text: 1–{@code max} characters, none of them a control character or half a surrogate pair. */
    public static Function<String, String> text(int max) {
        return value -> {
            boolean printable = value.codePoints()
                    .noneMatch(c -> Character.isISOControl(c)
                            || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
            if (value.isEmpty() || value.codePointCount(0, value.length()) > max || !printable) {
                throw new IllegalArgumentException("must be 1 to " + max + " characters, none a control character");
            }
            return value;
        };
    }

    /** An integer within limits. */
    public static LongFunction<Long> between(long min, long max) {
        return value -> {
            if (value < min || value > max) {
                throw new IllegalArgumentException("must be an integer between " + min + " and " + max);
            }
            return value;
        };
    }
}
