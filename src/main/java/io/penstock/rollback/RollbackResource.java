package io.penstock.rollback;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.penstock.ledger.RollbackOrder;
import io.penstock.platform.JsonBody;
import io.penstock.platform.Problem;
import io.penstock.stock.BucketId;
import io.penstock.stock.DeductKey;
import io.penstock.stock.FlowStatus;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
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
import org.jboss.resteasy.reactive.RestResponse;

/** 回滚 over HTTP. */
@Path("/v1/skus")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Rollbacks", description = "回滚: give a deduction back, once")
public class RollbackResource {

    private static final int TEXT = 128;

    private final Rollbacks rollbacks;

    RollbackResource(Rollbacks rollbacks) {
        this.rollbacks = rollbacks;
    }

    /** The body of a rollback, for the API's description. */
    @Schema(name = "RollbackRequest")
    record Body(
            @Schema(description = "a hint; the recorded bucket wins", examples = "3")
            Integer bucketNo,

            @Schema(maxLength = TEXT, examples = "order cancelled by the buyer")
            String reason) {}

    /** How a rollback ended. */
    @Schema(name = "RolledBack")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Answer(
            @Schema(examples = "order-1") String deductKey,
            @Schema(examples = "1001") long skuId,

            @Schema(examples = "ROLLED_BACK") RollbackOutcome.Kind outcome,

            @Schema(description = "with ALREADY_ROLLED_BACK: the final status")
            FlowStatus status,

            @Schema(description = "the bucket the units went back to", examples = "3")
            Integer bucketNo,

            @Schema(examples = "2") Integer qty) {}

    @POST
    @Path("/{skuId}/deductions/{deductKey}/rollback")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Give a deduction back (回滚)",
            description =
                    "Idempotent. Bucket and quantity come from the ledger. Without a deduction the key is cancelled: one that arrives late is refused.")
    @RequestBody(
            content =
                    @Content(
                            schema = @Schema(implementation = Body.class),
                            examples =
                                    @ExampleObject(
                                            name = "with a reason",
                                            value = "{\"reason\":\"order cancelled by the buyer\"}")))
    @APIResponse(
            responseCode = "200",
            description = "Ledger and Redis both have it",
            content = @Content(schema = @Schema(implementation = Answer.class)))
    @APIResponse(
            responseCode = "202",
            description =
                    "COMPENSATING: ledger or Redis could not be reached; it is owed, and Location shows how it ends",
            content = @Content(schema = @Schema(implementation = Answer.class)))
    @APIResponse(
            responseCode = "503",
            description = "unavailable: nothing is known, ask again",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<RestResponse<Answer>> rollBack(String skuId, String deductKey, byte[] bytes) {
        SkuId sku = JsonBody.parameter("skuId", skuId, SkuId::parse);
        DeductKey key = JsonBody.parameter("deductKey", deductKey, DeductKey::new);
        JsonBody body = JsonBody.readOptional(bytes, "bucketNo", "reason");
        body.optionalInteger("bucketNo", JsonBody.between(0, BucketId.MAX_NUMBER));
        String reason = body.optionalString("reason", JsonBody.text(TEXT));
        body.check();
        return rollbacks
                .rollBack(new RollbackOrder(sku, key, "http", reason))
                .map(outcome -> answer(sku, key, outcome));
    }

    private static RestResponse<Answer> answer(SkuId skuId, DeductKey key, RollbackOutcome outcome) {
        Answer answer = new Answer(
                key.value(), skuId.value(), outcome.kind(), outcome.status(), outcome.bucketNo(), outcome.qty());
        return switch (outcome.kind()) {
            case ROLLED_BACK, ALREADY_ROLLED_BACK, CANCELLED -> RestResponse.ok(answer);
            case COMPENSATING ->
                RestResponse.ResponseBuilder.create(RestResponse.Status.ACCEPTED, answer)
                        .location(URI.create("/v1/skus/" + skuId + "/deductions/" + key))
                        .build();
        };
    }
}
