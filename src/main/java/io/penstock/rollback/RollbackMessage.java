package io.penstock.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.ledger.RollbackOrder;
import io.penstock.platform.Envelope;
import io.penstock.platform.Unreadable;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;

/** A rollback as a Kafka value: of {@code stock.rollback}, and with its type of {@code stock.ordered}. */
final class RollbackMessage {

    static final String TYPE = "ROLLBACK";

    private static final int REASON = 255;

    private RollbackMessage() {}

    /** The value of {@code stock.ordered}. */
    static byte[] toBytes(RollbackOrder order) {
        return Envelope.write(json -> {
            json.writeStringField("type", TYPE);
            json.writeStringField("deductKey", order.deductKey().value());
            json.writeNumberField("skuId", order.skuId().value());
            if (order.reason() != null) {
                json.writeStringField("reason", order.reason());
            }
        });
    }

    /** @param by as {@link RollbackOrder} has it: the message does not say who asks */
    static RollbackOrder read(JsonNode message, String by) throws Unreadable {
        // A hint. Nothing is done with it, but what is wrong with it may be wrong with the rest.
        Envelope.optionalInteger(message, "bucketNo", BucketId::number);
        String reason = Envelope.optionalString(message, "reason", text -> text);
        return new RollbackOrder(
                Envelope.integer(message, "skuId", SkuId::new),
                Envelope.string(message, "deductKey", DeductKey::new),
                by,
                reason == null ? null : reason.substring(0, Math.min(REASON, reason.length())));
    }
}
