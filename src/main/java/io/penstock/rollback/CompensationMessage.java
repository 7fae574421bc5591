package io.penstock.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.ledger.Debt;
import io.penstock.ledger.Owed;
import io.penstock.platform.Envelope;
import io.penstock.platform.Unreadable;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;

/** The value of {@code stock.compensation}: one debt that the ledger is to be told. */
public record CompensationMessage(Owed owed) {

    byte[] toBytes() {
        return Envelope.write(json -> {
            json.writeStringField("kind", owed.kind().name());
            json.writeStringField("deductKey", owed.deductKey().value());
            json.writeNumberField("skuId", owed.skuId().value());
            if (owed.bucketNo() != null) {
                json.writeNumberField("bucketNo", owed.bucketNo());
            }
            json.writeStringField("cause", owed.cause());
        });
    }

    /** @throws Unreadable if any of it is not as it should be: then nothing is owed for it */
    public static CompensationMessage read(byte[] value) throws Unreadable {
        JsonNode message = Envelope.read(value);
        Debt.Kind kind = Envelope.string(message, "kind", CompensationMessage::kind);
        Integer bucketNo = Envelope.optionalInteger(message, "bucketNo", BucketId::number);
        if (kind == Debt.Kind.STRAY && bucketNo == null) {
            throw new Unreadable("bucketNo must be given for a STRAY");
        }
        return new CompensationMessage(new Owed(
                kind,
                Envelope.integer(message, "skuId", SkuId::new),
                Envelope.string(message, "deductKey", DeductKey::new),
                bucketNo,
                null,
                Envelope.string(message, "cause", text -> text)));
    }

    private static Debt.Kind kind(String name) {
        for (Debt.Kind kind : Debt.Kind.values()) {
            if (kind.name().equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("is not known");
    }
}
