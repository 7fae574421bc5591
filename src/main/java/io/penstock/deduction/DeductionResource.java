package io.penstock.deduction;

import io.penstock.platform.JsonBody;
import io.penstock.platform.Problem;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.net.URI;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;

/** 扣减 over HTTP. */
@Path("/v1/skus")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Deductions", description = "扣减: take units of a SKU, once per deduct key")
public class DeductionResource {

    private static final int TEXT = 128;

    private final Deductions deductions;
    private final DeductionViews views;

    DeductionResource(Deductions deductions, DeductionViews views) {
        this.deductions = deductions;
        this.views = views;
    }

    /** The body of a deduction, for the API's description. */
    @Schema(name = "DeductionRequest")
    record Body(
            @Schema(
                    required = true,
                    description = "the order number",
                    examples = "order-1",
                    pattern = "[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
            String deductKey,

            @Schema(required = true, minimum = "1", maximum = "1000000", examples = "2")
            int qty,

            @Schema(
                    description = "chooses the home bucket; the same on every try of a key",
                    maxLength = TEXT,
                    examples = "u-7")
            String userId,

            @Schema(description = "only recorded", maxLength = TEXT, examples = "t-9")
            String traceId) {}

    /** What an accepted deduction is answered. */
    @Schema(name = "Deducted")
    public record Deducted(
            @Schema(examples = "order-1") String deductKey,
            @Schema(examples = "1001") long skuId,
            @Schema(examples = "3") int bucketNo,
            @Schema(examples = "2") int qty,

            @Schema(
                    description = "3 deducted, 2 deducted and the bucket is now empty, 0 deducted before",
                    examples = "3")
            int code,

            @Schema(examples = "DEDUCTED") String outcome) {}

    @POST
    @Path("/{skuId}/deductions")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Deduct units (扣减)",
            description =
                    "Idempotent by deduct key. Any answer but these, or none: ask again with the same key, it decides.")
    @RequestBody(
            required = true,
            content =
                    @Content(
                            schema = @Schema(implementation = Body.class),
                            examples =
                                    @ExampleObject(
                                            name = "an order of two",
                                            value =
                                                    "{\"deductKey\":\"order-1\",\"qty\":2,\"userId\":\"u-7\",\"traceId\":\"t-9\"}")))
    @APIResponse(
            responseCode = "201",
            description = "Deducted (code 3, or 2: the bucket is now empty)",
            content = @Content(schema = @Schema(implementation = Deducted.class)))
    @APIResponse(
            responseCode = "200",
            description = "This key was deducted before (code 0)",
            content = @Content(schema = @Schema(implementation = Deducted.class)))
    @APIResponse(
            responseCode = "409",
            description = "insufficient-stock (code 1), deduction-finished (5), sale-paused (7)",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    @APIResponse(
            responseCode = "422",
            description = "deduct-key-reused (code 4)",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<RestResponse<Deducted>> deduct(String skuId, byte[] body) {
        DeductionRequest request = read(skuId, body);
        return deductions.deduct(request).map(decision -> answer(request, decision));
    }

    private static DeductionRequest read(String rawSkuId, byte[] bytes) {
        SkuId skuId = JsonBody.parameter("skuId", rawSkuId, SkuId::parse);
        JsonBody body = JsonBody.read(bytes, "deductKey", "qty", "userId", "traceId");
        DeductKey deductKey = body.string("deductKey", DeductKey::new);
        Quantity qty = body.integer("qty", Quantity::of);
        String userId = body.optionalString("userId", JsonBody.text(TEXT));
        String traceId = body.optionalString("traceId", JsonBody.text(TEXT));
        body.check();
        return new DeductionRequest(skuId, deductKey, qty, userId, traceId);
    }

    private static RestResponse<Deducted> answer(DeductionRequest request, Decision decision) {
        int code = decision.code().number();
        return switch (decision.code()) {
            case DEDUCTED, DEDUCTED_LAST ->
                RestResponse.ResponseBuilder.create(RestResponse.Status.CREATED, deducted(request, decision))
                        .location(location(request.skuId(), request.deductKey()))
                        .build();
            case DUPLICATE -> RestResponse.ok(deducted(request, decision));
            case INSUFFICIENT ->
                throw ProblemException.insufficient(
                        decision.soldOut()
                                ? "SKU " + request.skuId() + " is sold out."
                                : "Fewer than " + request.qty() + " units are left in any one bucket.",
                        code,
                        decision.soldOut());
            case KEY_REUSED ->
                throw ProblemException.answered(
                        ProblemType.DEDUCT_KEY_REUSED, "This key was deducted with another quantity.", code);
            case FINISHED -> throw finished(decision, code);
            case CLOSED ->
                throw ProblemException.answered(ProblemType.SALE_PAUSED, "The sale of this SKU is paused.", code);
            case NOT_LOADED ->
                throw ProblemException.answered(
                        ProblemType.STOCK_NOT_LOADED, "The stock of this SKU could not be loaded in time.", code);
            case SPILLED -> throw new IllegalStateException("a spill is followed, not answered");
        };
    }

    private static Deducted deducted(DeductionRequest request, Decision decision) {
        return new Deducted(
                request.deductKey().value(),
                request.skuId().value(),
                decision.bucketNo(),
                request.qty().value(),
                decision.code().number(),
                decision.code().name());
    }

    private static ProblemException finished(Decision decision, int code) {
        return decision.finished() == null
                ? ProblemException.finished("This key is finished.", code, null)
                : ProblemException.finished(
                        "This key is finished: " + decision.finished() + ".",
                        code,
                        decision.finished().name());
    }

    @GET
    @Path("/{skuId}/deductions/{deductKey}")
    @Operation(
            summary = "Show one deduction",
            description =
                    "Known from the moment it was accepted. With `?journal=true` also what happened, when, by whom and why.")
    @APIResponse(
            responseCode = "200",
            description = "The deduction",
            content = @Content(schema = @Schema(implementation = DeductionView.class)))
    @APIResponse(
            responseCode = "404",
            description = "unknown-sku, unknown-deduction",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<DeductionView> view(String skuId, String deductKey, @RestQuery String journal) {
        SkuId sku = JsonBody.parameter("skuId", skuId, SkuId::parse);
        DeductKey key = JsonBody.parameter("deductKey", deductKey, DeductKey::new);
        boolean wanted = journal != null && JsonBody.parameter("journal", journal, DeductionResource::trueOrFalse);
        return wanted ? views.viewWithJournal(sku, key) : views.view(sku, key);
    }

    private static boolean trueOrFalse(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false");
        };
    }

    /** Where a deduction is shown. */
    public static URI location(SkuId skuId, DeductKey deductKey) {
        return URI.create("/v1/skus/" + skuId + "/deductions/" + deductKey);
    }
}
