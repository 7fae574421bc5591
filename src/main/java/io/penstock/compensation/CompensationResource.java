package io.penstock.compensation;

import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.CompensationLedger.Position;
import io.penstock.ledger.Debt;
import io.penstock.platform.JsonBody;
import io.penstock.platform.Page;
import io.penstock.platform.Problem;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;

/** 补偿 over HTTP: what is owed, and a try at once. */
@Path("/v1/compensations")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Compensations", description = "补偿: what is owed to Redis and not given yet")
public class CompensationResource {

    private final CompensationLedger ledger;
    private final Sweeper sweeper;

    CompensationResource(CompensationLedger ledger, Sweeper sweeper) {
        this.ledger = ledger;
        this.sweeper = sweeper;
    }

    /** One debt. */
    @Schema(name = "Compensation")
    public record Compensation(
            Debt.Kind kind,
            @Schema(examples = "1001") long skuId,
            @Schema(examples = "order-1") String deductKey,

            @Schema(description = "where it is owed; null: to every bucket of the SKU", examples = "3", nullable = true)
            Integer bucketNo,

            @Schema(description = "units; null where none are known", examples = "2", nullable = true)
            Integer qty,

            @Schema(examples = "4") int attempts,

            @Schema(examples = "the gate cannot be reached", nullable = true)
            String lastError,

            Instant nextAttempt) {

        static Compensation of(Debt debt) {
            return new Compensation(
                    debt.kind(),
                    debt.skuId().value(),
                    debt.deductKey().value(),
                    debt.bucketNo(),
                    debt.qty(),
                    debt.attempts(),
                    debt.lastError(),
                    debt.nextAttempt());
        }
    }

    @GET
    @Operation(
            summary = "List what is owed",
            description = "By SKU and deduct key, ascending; `next` is the `after` of the next page. "
                    + "A debt that is being given right now is among them.")
    @APIResponse(responseCode = "200", description = "A page of debts")
    public Uni<Page<Compensation>> list(@RestQuery String limit, @RestQuery String after) {
        int atMost = Page.limit(limit);
        Position from =
                after == null ? Position.FIRST : JsonBody.parameter("after", after, CompensationResource::position);
        return ledger.list(from, atMost)
                .map(debts ->
                        Page.of(debts, atMost, CompensationResource::cursor).map(Compensation::of));
    }

    private static String cursor(Debt debt) {
        Position at = Position.of(debt);
        return at.skuId() + "/" + at.deductKey() + "/" + at.kind() + "/" + at.bucketNo();
    }

    private static Position position(String cursor) {
        String[] parts = cursor.split("/", -1);
        if (parts.length != 4 || !parts[3].matches("-1|[0-9]{1,4}")) {
            throw new IllegalArgumentException("must be the next of a page");
        }
        if (Arrays.stream(Debt.Kind.values()).noneMatch(kind -> kind.name().equals(parts[2]))) {
            throw new IllegalArgumentException("must be the next of a page");
        }
        return new Position(
                SkuId.parse(parts[0]).value(), new DeductKey(parts[1]).value(), parts[2], Integer.parseInt(parts[3]));
    }

    @POST
    @Path("/{skuId}/{deductKey}/retry")
    @Operation(summary = "Try now to give what is owed for a key", description = "Location shows how it ends.")
    @APIResponse(responseCode = "202", description = "It is being tried")
    @APIResponse(
            responseCode = "404",
            description = "not-found: nothing is owed for this key",
            content =
                    @Content(mediaType = "application/problem+json", schema = @Schema(implementation = Problem.class)))
    public Uni<RestResponse<Void>> retry(String skuId, String deductKey) {
        SkuId sku = JsonBody.parameter("skuId", skuId, SkuId::parse);
        DeductKey key = JsonBody.parameter("deductKey", deductKey, DeductKey::new);
        return sweeper.retry(sku, key).map(debts -> {
            if (debts == 0) {
                throw ProblemException.of(ProblemType.NOT_FOUND, "Nothing is owed for this key.");
            }
            return RestResponse.ResponseBuilder.<Void>create(RestResponse.Status.ACCEPTED)
                    .location(URI.create("/v1/skus/" + sku + "/deductions/" + key))
                    .build();
        });
    }
}
