package io.penstock.platform;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * The envelope of every Kafka value: a JSON object with {@code "v":1}. Another version is unreadable; fields that are not known are
 * passed over, so that a newer instance may add some.
 */
public final class Envelope {

    private static final int VERSION = 1;

    /** As much as a broker takes by its defaults; what was compressed below that may be a thousand times larger here. */
    private static final int LARGEST = 1024 * 1024;

    private Envelope() {}

    @FunctionalInterface
    public interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    /** Writes an object: the version, then what {@code body} adds. */
    public static byte[] write(Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator json = StrictJson.FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeNumberField("v", VERSION);
            body.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @throws Unreadable if the value is not a JSON object of this version */
    public static JsonNode read(byte[] value) throws Unreadable {
        if (value == null || value.length == 0) {
            throw new Unreadable("empty");
        }
        if (value.length > LARGEST) {
            throw new Unreadable("larger than " + LARGEST + " bytes");
        }
        JsonNode object;
        try {
            object = StrictJson.read(value);
        } catch (IOException e) {
            throw new Unreadable("not JSON");
        }
        if (object == null || !object.isObject()) {
            throw new Unreadable("not a JSON object");
        }
        JsonNode version = object.get("v");
        if (version == null || !version.isInt() || version.intValue() != VERSION) {
            throw new Unreadable("version is not " + VERSION);
        }
        return object;
    }

    /** A string field that must be there. */
    public static <T> T string(JsonNode object, String field, Function<String, T> value) throws Unreadable {
        JsonNode node = object.get(field);
        if (node == null || !node.isTextual()) {
            throw new Unreadable(field + " must be a string");
        }
        return checked(field, () -> value.apply(node.textValue()));
    }

    /** A string field that may be missing or null. */
    public static <T> T optionalString(JsonNode object, String field, Function<String, T> value) throws Unreadable {
        return object.hasNonNull(field) ? string(object, field, value) : null;
    }

    /** An integer field that must be there. */
    public static <T> T integer(JsonNode object, String field, LongFunction<T> value) throws Unreadable {
        JsonNode node = object.get(field);
        if (node == null || !node.isIntegralNumber() || !node.canConvertToLong()) {
            throw new Unreadable(field + " must be an integer");
        }
        return checked(field, () -> value.apply(node.longValue()));
    }

    /** An integer field that may be missing or null. */
    public static <T> T optionalInteger(JsonNode object, String field, LongFunction<T> value) throws Unreadable {
        return object.hasNonNull(field) ? integer(object, field, value) : null;
    }

    /** Of a topic that is keyed by deduct key: without one, what belongs together would not stay together. */
    public static void requireKey(byte[] key) throws Unreadable {
        if (key == null) {
            throw new Unreadable("key is missing");
        }
    }

    private static <T> T checked(String field, Supplier<T> value) throws Unreadable {
        try {
            return value.get();
        } catch (RuntimeException e) {
            throw new Unreadable(field + " " + e.getMessage());
        }
    }
}
