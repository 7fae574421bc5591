package io.penstock.settlement;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.platform.Envelope;
import io.penstock.platform.Unreadable;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuId;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The value of {@code stock.deduct}: what one round accepted, by bucket. In {@code stock.ordered} it has one deduction. */
public record DeductMessage(List<Part> parts) {

    public static final String TYPE = "DEDUCT";

    /**
     * What one bucket accepted.
     *
     * @param epoch of the bucket when it did
     * @param deductedAt on the accepting service's clock; told, never compared with another clock
     */
    public record Part(SkuId skuId, int bucketNo, long epoch, Instant deductedAt, List<Deduction> deductions) {

        /** The same in pieces of at most so many deductions; none of one without. */
        List<Part> cut(int most) {
            List<Part> pieces = new ArrayList<>();
            for (int from = 0; from < deductions.size(); from += most) {
                List<Deduction> piece = deductions.subList(from, Math.min(deductions.size(), from + most));
                pieces.add(new Part(skuId, bucketNo, epoch, deductedAt, piece));
            }
            return pieces;
        }
    }

    /** @param traceId only recorded; may be null */
    public record Deduction(DeductKey deductKey, Quantity qty, String traceId) {}

    public byte[] toBytes() {
        return Envelope.write(json -> {
            json.writeStringField("type", TYPE);
            json.writeArrayFieldStart("parts");
            for (Part part : parts) {
                write(json, part);
            }
            json.writeEndArray();
        });
    }

    private static void write(JsonGenerator json, Part part) throws IOException {
        json.writeStartObject();
        json.writeNumberField("skuId", part.skuId().value());
        json.writeNumberField("bucketNo", part.bucketNo());
        json.writeNumberField("epoch", part.epoch());
        json.writeStringField("deductedAt", part.deductedAt().toString());
        json.writeArrayFieldStart("deductions");
        for (Deduction deduction : part.deductions()) {
            json.writeStartObject();
            json.writeStringField("deductKey", deduction.deductKey().value());
            json.writeNumberField("qty", deduction.qty().value());
            if (deduction.traceId() != null) {
                json.writeStringField("traceId", deduction.traceId());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** @throws Unreadable if any of it is not as it should be: then nothing of it is settled */
    public static DeductMessage read(byte[] value) throws Unreadable {
        return read(Envelope.read(value));
    }

    /** The same of a value that {@link Envelope} has read. */
    public static DeductMessage read(JsonNode message) throws Unreadable {
        if (!TYPE.equals(message.path("type").textValue())) {
            throw new Unreadable("type is not " + TYPE);
        }
        List<Part> parts = new ArrayList<>();
        for (JsonNode part : array(message, "parts")) {
            List<Deduction> deductions = new ArrayList<>();
            for (JsonNode deduction : array(part, "deductions")) {
                deductions.add(new Deduction(
                        Envelope.string(deduction, "deductKey", DeductKey::new),
                        Envelope.integer(deduction, "qty", Quantity::of),
                        Envelope.optionalString(deduction, "traceId", text -> text)));
            }
            parts.add(new Part(
                    Envelope.integer(part, "skuId", SkuId::new),
                    Envelope.integer(part, "bucketNo", BucketId::number),
                    Envelope.integer(part, "epoch", epoch -> epoch),
                    Envelope.string(part, "deductedAt", DeductMessage::instant),
                    deductions));
        }
        return new DeductMessage(parts);
    }

    private static JsonNode array(JsonNode object, String field) throws Unreadable {
        JsonNode array = object.get(field);
        if (array == null || !array.isArray()) {
            throw new Unreadable(field + " must be an array");
        }
        return array;
    }

    private static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("must be an instant in ISO 8601", e);
        }
    }
}
