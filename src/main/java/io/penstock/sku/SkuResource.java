package io.penstock.sku;

import io.penstock.ledger.SkuDefinition;
import io.penstock.platform.JsonBody;
import io.penstock.platform.Page;
import io.penstock.platform.Problem;
import io.penstock.stock.BucketId;
import io.penstock.stock.BucketState;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Ordering;
import io.penstock.stock.SaleState;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.stream.IntStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;

/** SKUs over HTTP. */
@Path("/v1/skus")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "SKUs", description = "What is sold, and how much of it is left where")
public class SkuResource {

    private static final long MAX_TOTAL = 1_000_000_000L;
    private static final int MAX_BUCKETS = 64;
    private static final int REASON = 255;

    private final Skus skus;
    private final Adjustments adjustments;
    private final SaleControl control;

    SkuResource(Skus skus, Adjustments adjustments, SaleControl control) {
        this.skus = skus;
        this.adjustments = adjustments;
        this.control = control;
    }

    /** The body of a definition, for the API's description. */
    @Schema(name = "SkuDefinition")
    record Definition(
            @Schema(required = true, maxLength = 32, examples = "SKU_A")
            String skuCode,

            @Schema(required = true, minimum = "0", maximum = "1000000000", examples = "10000")
            long total,

            @Schema(required = true, minimum = "0", maximum = "64", description = "0: unbucketed", examples = "5")
            int buckets,

            @Schema(
                    defaultValue = "SPLIT",
                    description = "how deductions and rollbacks travel; ORDERED: by one topic, in order for each key")
            Ordering ordering,

            @Schema(defaultValue = "REDIS", description = "the DB strategies are unbucketed and do without Redis")
            Strategy strategy) {}

    /** The body of an adjustment, for the API's description. */
    @Schema(name = "AdjustmentRequest")
    record Adjustment(
            @Schema(required = true, examples = "r-1") String adjustmentKey,

            @Schema(required = true, description = "units to give, or to take when negative", examples = "500")
            long delta,

            @Schema(maxLength = REASON, examples = "second delivery")
            String reason) {}

    /** The body that pauses or opens a sale, for the API's description. */
    @Schema(name = "Sale")
    record Sale(@Schema(required = true) SaleState state) {}

    /** The body that retires a bucket or brings it back, for the API's description. */
    @Schema(name = "BucketStateRequest")
    record State(@Schema(required = true) BucketState state) {}

    /** The body that changes the number of buckets, for the API's description. */
    @Schema(name = "BucketCount")
    record Count(
            @Schema(required = true, minimum = "1", maximum = "64", examples = "8")
            int buckets) {}

    /** How an adjustment stands. */
    @Schema(name = "Adjusted")
    public record Adjusted(
            @Schema(examples = "r-1") String adjustmentKey,
            @Schema(examples = "1001") long skuId,
            @Schema(examples = "500") long delta,

            @Schema(description = "ADJUSTED, ADJUSTED_BEFORE, UNDECIDED: repeat the key", examples = "ADJUSTED")
            String outcome) {}

    @PUT
    @Path("/{skuId}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Define a SKU",
            description = "Idempotent. Writes the ledger, then loads Redis; repeat it if in doubt.")
    @RequestBody(
            required = true,
            content =
                    @Content(
                            schema = @Schema(implementation = Definition.class),
                            examples =
                                    @ExampleObject(
                                            name = "ten thousand in five buckets",
                                            value = "{\"skuCode\":\"SKU_A\",\"total\":10000,\"buckets\":5}")))
    @APIResponse(
            responseCode = "201",
            description = "Defined and loaded",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "200",
            description = "It was there already, just so",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "409",
            description = "sku-conflict",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<RestResponse<SkuView>> define(String skuId, byte[] bytes) {
        return skus.define(read(skuId, bytes))
                .map(defined -> RestResponse.ResponseBuilder.create(
                                defined.created() ? RestResponse.Status.CREATED : RestResponse.Status.OK, defined.sku())
                        .build());
    }

    private static SkuDefinition read(String rawSkuId, byte[] bytes) {
        SkuId skuId = JsonBody.parameter("skuId", rawSkuId, SkuId::parse);
        JsonBody body = JsonBody.read(bytes, "skuCode", "total", "buckets", "ordering", "strategy");
        SkuCode skuCode = body.string("skuCode", SkuCode::new);
        Long total = body.integer("total", JsonBody.between(0, MAX_TOTAL));
        Long buckets = body.integer("buckets", JsonBody.between(0, MAX_BUCKETS));
        Ordering ordering = body.optionalEnum("ordering", Ordering.class, Ordering.SPLIT);
        Strategy strategy = body.optionalEnum("strategy", Strategy.class, Strategy.REDIS);
        if (strategy != Strategy.REDIS && ordering == Ordering.ORDERED) {
            body.violation("ordering", "must be SPLIT with strategy " + strategy + ", whose deductions pass no log");
        }
        if (strategy != Strategy.REDIS && buckets != null && buckets != 0) {
            body.violation("buckets", "must be 0 with strategy " + strategy);
        }
        body.check();
        return new SkuDefinition(skuId, skuCode, total, bucketNos(buckets.intValue()), strategy, ordering);
    }

    private static List<Integer> bucketNos(int buckets) {
        return buckets == 0
                ? List.of(0)
                : IntStream.rangeClosed(1, buckets).boxed().toList();
    }

    @GET
    @Path("/{skuId}")
    @Operation(summary = "Show a SKU", description = "Redis and ledger side by side, bucket by bucket.")
    @APIResponse(
            responseCode = "200",
            description = "The SKU",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "404",
            description = "unknown-sku",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<SkuView> view(String skuId) {
        return skus.view(JsonBody.parameter("skuId", skuId, SkuId::parse));
    }

    @GET
    @Operation(summary = "List SKUs", description = "Ascending by number; `next` is the `after` of the next page.")
    @APIResponse(responseCode = "200", description = "A page of SKUs")
    public Uni<Page<SkuView>> list(@RestQuery String limit, @RestQuery String after) {
        int atMost = Page.limit(limit);
        long above = after == null
                ? 0
                : JsonBody.parameter("after", after, SkuId::parse).value();
        return skus.list(above, atMost).map(items -> Page.of(items, atMost, sku -> Long.toString(sku.skuId())));
    }

    @POST
    @Path("/{skuId}/warm-up")
    @Operation(summary = "Load missing buckets into Redis (预热)", description = "Never overwrites one.")
    @APIResponse(
            responseCode = "200",
            description = "Everything is loaded",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "404",
            description = "unknown-sku",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<SkuView> warmUp(String skuId) {
        return skus.warmUp(JsonBody.parameter("skuId", skuId, SkuId::parse));
    }

    @POST
    @Path("/{skuId}/adjustments")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(summary = "Give or take units (库存调整)", description = "Idempotent by adjustment key.")
    @RequestBody(
            required = true,
            content =
                    @Content(
                            schema = @Schema(implementation = Adjustment.class),
                            examples =
                                    @ExampleObject(
                                            name = "five hundred more",
                                            value =
                                                    "{\"adjustmentKey\":\"r-1\",\"delta\":500,\"reason\":\"second delivery\"}")))
    @APIResponse(
            responseCode = "201",
            description = "Adjusted",
            content = @Content(schema = @Schema(implementation = Adjusted.class)))
    @APIResponse(
            responseCode = "200",
            description = "It was adjusted before",
            content = @Content(schema = @Schema(implementation = Adjusted.class)))
    @APIResponse(
            responseCode = "202",
            description = "UNDECIDED: repeat the key",
            content = @Content(schema = @Schema(implementation = Adjusted.class)))
    @APIResponse(
            responseCode = "409",
            description = "insufficient-stock: fewer are left, nothing was taken",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    @APIResponse(
            responseCode = "422",
            description = "adjustment-key-reused",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<RestResponse<Adjusted>> adjust(@RestPath("skuId") String rawSkuId, byte[] bytes) {
        SkuId skuId = JsonBody.parameter("skuId", rawSkuId, SkuId::parse);
        JsonBody body = JsonBody.read(bytes, "adjustmentKey", "delta", "reason");
        DeductKey key = body.string("adjustmentKey", DeductKey::new);
        Long delta = body.integer("delta", SkuResource::delta);
        String reason = body.optionalString("reason", JsonBody.text(REASON));
        body.check();
        return adjustments
                .adjust(skuId, key, delta, reason)
                .map(outcome -> RestResponse.ResponseBuilder.create(
                                switch (outcome) {
                                    case ADJUSTED -> RestResponse.Status.CREATED;
                                    case ADJUSTED_BEFORE -> RestResponse.Status.OK;
                                    case UNDECIDED -> RestResponse.Status.ACCEPTED;
                                },
                                new Adjusted(key.value(), skuId.value(), delta, outcome.name()))
                        .build());
    }

    @PUT
    @Path("/{skuId}/sale")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Pause a sale, or open it",
            description =
                    "A paused SKU sells to no new deduct key, on any instance. Known keys are answered, and rolled back.")
    @RequestBody(required = true, content = @Content(schema = @Schema(implementation = Sale.class)))
    @APIResponse(
            responseCode = "200",
            description = "It is so, on every instance",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "404",
            description = "unknown-sku",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<SkuView> setSale(@RestPath("skuId") String rawSkuId, byte[] bytes) {
        SkuId skuId = JsonBody.parameter("skuId", rawSkuId, SkuId::parse);
        JsonBody body = JsonBody.read(bytes, "state");
        SaleState state = body.requiredEnum("state", SaleState.class);
        body.check();
        return control.setSale(skuId, state);
    }

    @PUT
    @Path("/{skuId}/buckets/{bucketNo}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Retire a bucket, or bring it back",
            description =
                    "A retired bucket sells to nobody; its units move to the others, and what is rolled back to it moves on.")
    @RequestBody(required = true, content = @Content(schema = @Schema(implementation = State.class)))
    @APIResponse(
            responseCode = "200",
            description = "It is so, and the units are where they belong",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "202",
            description = "It is so; units still move",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "404",
            description = "unknown-sku; not-found: the SKU has no such bucket",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    @APIResponse(
            responseCode = "409",
            description = "last-bucket",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<RestResponse<SkuView>> setState(
            @RestPath("skuId") String rawSkuId, @RestPath("bucketNo") String rawBucketNo, byte[] bytes) {
        SkuId skuId = JsonBody.parameter("skuId", rawSkuId, SkuId::parse);
        int bucketNo = JsonBody.parameter("bucketNo", rawBucketNo, SkuResource::bucketNo);
        JsonBody body = JsonBody.read(bytes, "state");
        BucketState state = body.requiredEnum("state", BucketState.class);
        body.check();
        return control.setState(skuId, bucketNo, state).map(SkuResource::answer);
    }

    @PUT
    @Path("/{skuId}/buckets")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Change the number of buckets that sell",
            description = "Retired ones come back before new ones are made; the highest numbers are retired first.")
    @RequestBody(required = true, content = @Content(schema = @Schema(implementation = Count.class)))
    @APIResponse(
            responseCode = "200",
            description = "There are so many, and they are even",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "202",
            description = "There are so many; units still move",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "404",
            description = "unknown-sku",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    @APIResponse(
            responseCode = "409",
            description = "not-bucketed",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<RestResponse<SkuView>> setCount(@RestPath("skuId") String rawSkuId, byte[] bytes) {
        SkuId skuId = JsonBody.parameter("skuId", rawSkuId, SkuId::parse);
        JsonBody body = JsonBody.read(bytes, "buckets");
        Long buckets = body.integer("buckets", JsonBody.between(1, MAX_BUCKETS));
        body.check();
        return control.setCount(skuId, buckets.intValue()).map(SkuResource::answer);
    }

    @POST
    @Path("/{skuId}/merge")
    @Operation(summary = "Even the buckets out (分片合并)", description = "Safe while it sells.")
    @APIResponse(
            responseCode = "200",
            description = "They are even",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "202",
            description = "Units still move",
            content = @Content(schema = @Schema(implementation = SkuView.class)))
    @APIResponse(
            responseCode = "404",
            description = "unknown-sku",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<RestResponse<SkuView>> merge(@RestPath("skuId") String rawSkuId) {
        return control.merge(JsonBody.parameter("skuId", rawSkuId, SkuId::parse))
                .map(SkuResource::answer);
    }

    private static RestResponse<SkuView> answer(SaleControl.Changed changed) {
        return RestResponse.ResponseBuilder.create(
                        changed.even() ? RestResponse.Status.OK : RestResponse.Status.ACCEPTED, changed.sku())
                .build();
    }

    private static int bucketNo(String text) {
        if (!text.matches("0|[1-9][0-9]{0,3}")) {
            throw new IllegalArgumentException("must be an integer between 0 and " + BucketId.MAX_NUMBER);
        }
        return Integer.parseInt(text);
    }

    private static long delta(long value) {
        if (value == 0) {
            throw new IllegalArgumentException("must not be 0");
        }
        return JsonBody.between(-MAX_TOTAL, MAX_TOTAL).apply(value);
    }
}
