package io.penstock.sku;

import io.penstock.stock.BucketState;
import io.penstock.stock.Ordering;
import io.penstock.stock.SaleState;
import io.penstock.stock.Strategy;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A SKU as clients see it. Units throughout. Null where Redis cannot say: never 0, never a partial sum. */
@Schema(name = "Sku")
public record SkuView(
        @Schema(examples = "1001") long skuId,
        @Schema(examples = "SKU_A") String skuCode,

        @Schema(description = "units given so far, adjustments included", examples = "10000")
        long total,

        Strategy strategy,
        Ordering ordering,
        SaleState sale,

        @Schema(
                description = "Redis stock of the ACTIVE buckets; null while one is not loaded",
                examples = "9998",
                nullable = true)
        Long available,

        @Schema(description = "units the ledger has not sold, all buckets", examples = "9998")
        long ledgerAvailable,

        @Schema(
                description = "accepted, not settled yet; null while a bucket is not loaded",
                examples = "0",
                nullable = true)
        Long pending,

        @Schema(description = "units sold in the ledger", examples = "2")
        long sold,

        @Schema(description = "credits that Redis has not been given yet", examples = "0")
        long owed,

        @Schema(description = "inside open transfers", examples = "0")
        long moving,

        @Schema(
                description = "coefficient of variation of the ACTIVE buckets' stock; null while one is not loaded",
                examples = "0.0",
                nullable = true)
        Double fragmentation,

        List<BucketView> buckets) {

    /** One bucket. The Redis fields are null while it is not loaded. */
    @Schema(name = "Bucket")
    public record BucketView(
            @Schema(examples = "1") int bucketNo,
            BucketState state,
            boolean loaded,

            @Schema(description = "units it has been given", examples = "2000", nullable = true)
            Long allotment,

            @Schema(description = "units left in Redis", examples = "1998", nullable = true)
            Long stock,

            @Schema(description = "live deductions in Redis", examples = "1", nullable = true)
            Long deductions,

            @Schema(examples = "1998") long ledgerAvailable,

            @Schema(description = "Redis Cluster slot of its keys", examples = "1234", nullable = true)
            Integer slot,

            @Schema(description = "cluster node that serves the slot; null without a cluster", nullable = true)
            String node) {}
}
