package io.penstock.platform;

import io.penstock.stock.BucketId;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/** Documents once what every operation may answer and what each parameter may be; an operation's own words come first. */
@OpenApiFilter
public class CommonAnswers implements OASFilter {

    private static final String PROBLEM = "#/components/schemas/Problem";

    @Override
    public void filterOpenAPI(OpenAPI api) {
        api.getPaths().getPathItems().forEach((path, item) -> {
            if (path.startsWith("/v1/")) {
                item.getOperations().values().forEach(operation -> document(path, operation));
            }
        });
    }

    private static void document(String path, Operation operation) {
        parameters(operation).forEach(CommonAnswers::describe);
        boolean takesInput =
                operation.getRequestBody() != null || !parameters(operation).isEmpty();
        answer(operation, takesInput, 400, "invalid-request: `violations` names each field; nothing was changed");
        answer(operation, path.contains("{"), 404, "unknown-sku");
        answer(operation, true, 406, "not-acceptable");
        answer(operation, operation.getRequestBody() != null, 413, "body-too-large: more than 64 KiB");
        answer(operation, operation.getRequestBody() != null, 415, "unsupported-media-type: send application/json");
        answer(operation, true, 429, "overloaded: a queue is full; nothing was changed; see `Retry-After`");
        answer(operation, true, 500, "internal: a fault of the service");
        answer(
                operation,
                true,
                503,
                "unavailable, stock-not-loaded: unknown whether it took effect; ask again with the same key; see `Retry-After`");
    }

    private static List<Parameter> parameters(Operation operation) {
        return operation.getParameters() == null ? List.of() : operation.getParameters();
    }

    private static void answer(Operation operation, boolean can, int status, String description) {
        String code = Integer.toString(status);
        APIResponse own = operation.getResponses().getAPIResponse(code);
        if (!can || own != null && own.getContent() != null) {
            return;
        }
        APIResponse problem = OASFactory.createAPIResponse()
                .description(description)
                .content(OASFactory.createContent()
                        .addMediaType(
                                ProblemMappers.PROBLEM_JSON.toString(),
                                OASFactory.createMediaType()
                                        .schema(OASFactory.createSchema().ref(PROBLEM))));
        operation.getResponses().addAPIResponse(code, problem);
    }

    private record Known(Schema schema, Object example) {}

    private static final Map<String, Known> PARAMETERS = Map.of(
            "skuId",
            new Known(integer(1, 9_007_199_254_740_991L).format("int64"), 1001),
            "bucketNo",
            new Known(integer(0, BucketId.MAX_NUMBER), 3),
            "deductKey",
            new Known(string().pattern("[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}"), "order-1"),
            "limit",
            new Known(integer(1, 1000).defaultValue(100), 100),
            "after",
            new Known(string().description("the `next` of the page before"), "1001"),
            "journal",
            new Known(string().enumeration(List.of("true", "false")).defaultValue("false"), "true"));

    private static void describe(Parameter parameter) {
        Known known = PARAMETERS.get(parameter.getName());
        if (known != null) {
            parameter.schema(known.schema()).example(known.example());
        }
    }

    private static Schema string() {
        return OASFactory.createSchema().addType(Schema.SchemaType.STRING);
    }

    private static Schema integer(long min, long max) {
        return OASFactory.createSchema()
                .addType(Schema.SchemaType.INTEGER)
                .minimum(BigDecimal.valueOf(min))
                .maximum(BigDecimal.valueOf(max));
    }
}
