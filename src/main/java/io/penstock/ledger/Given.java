package io.penstock.ledger;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.function.Function;

/**
 * Rows as one JSON parameter, for {@code JSON_TABLE}: one text per statement whatever the number of rows. The server keeps their
 * order, and {@code STRAIGHT_JOIN … FORCE INDEX (PRIMARY)} makes it visit, and lock, exactly the rows named, in this order.
 */
final class Given {

    /** {@code given}: one row a flow. */
    static final String FLOWS = """
            JSON_TABLE(?, '$[*]' COLUMNS (
                sku_id     BIGINT                            PATH '$.sku',
                deduct_key VARCHAR(64) CHARACTER SET ascii   PATH '$.key',
                bucket_no  INT                               PATH '$.bucket',
                qty        INT                               PATH '$.qty',
                trace_id   VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.trace')) AS given
            """;

    /** {@code given}: one row a bucket, with units. */
    static final String BUCKETS = """
            JSON_TABLE(?, '$[*]' COLUMNS (
                sku_id    BIGINT PATH '$.sku',
                bucket_no INT    PATH '$.bucket',
                units     BIGINT PATH '$.units')) AS given
            """;

    private Given() {}

    static <T> String rows(Collection<T> values, Function<T, JsonObject> row) {
        JsonArray rows = new JsonArray();
        values.forEach(value -> rows.add(row.apply(value)));
        return rows.encode();
    }

    static JsonObject flow(FlowId id) {
        return new JsonObject()
                .put("sku", id.skuId().value())
                .put("key", id.deductKey().value());
    }

    static JsonObject bucket(BucketRef bucket) {
        return new JsonObject().put("sku", bucket.skuId().value()).put("bucket", bucket.bucketNo());
    }

    /** A text that fits its column; what is too long loses its end, rather than the transaction its life. */
    static String text(String text, int longest) {
        return text == null || text.codePointCount(0, text.length()) <= longest
                ? text
                : text.substring(0, text.offsetByCodePoints(0, longest));
    }
}
