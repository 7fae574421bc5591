package io.penstock.operations;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.platform.Api;
import io.penstock.platform.Api.Answer;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The API's description of itself. */
@QuarkusTest
class OpenApiTest {

    private static JsonNode api() {
        return Api.get("/q/openapi?format=json").ok(200);
    }

    private static JsonNode operation(String method, String path) {
        return api().path("paths").path(path).path(method);
    }

    @Nested
    class TheDescription {

        @ParameterizedTest
        @CsvSource({
            "put, /v1/skus/{skuId}",
            "get, /v1/skus/{skuId}",
            "get, /v1/skus",
            "post, /v1/skus/{skuId}/warm-up",
            "post, /v1/skus/{skuId}/adjustments",
            "post, /v1/skus/{skuId}/deductions",
            "get, /v1/skus/{skuId}/deductions/{deductKey}",
            "post, /v1/skus/{skuId}/deductions/{deductKey}/rollback",
            "get, /v1/export/redis-stock",
            "get, /problems/{name}"
        })
        void hasEveryEndpointWithASummary(String method, String path) {
            assertFalse(operation(method, path).path("summary").asText().isBlank(), path);
        }

        @ParameterizedTest
        @CsvSource({
            "put, /v1/skus/{skuId}, 400 404 409 413 415 429 503",
            "get, /v1/skus/{skuId}, 400 404 429 503",
            "get, /v1/skus, 400 429 503",
            "post, /v1/skus/{skuId}/warm-up, 400 404 429 503",
            "post, /v1/skus/{skuId}/adjustments, 400 404 409 413 415 422 429 503",
            "post, /v1/skus/{skuId}/deductions, 400 404 409 413 415 422 429 503",
            "get, /v1/skus/{skuId}/deductions/{deductKey}, 400 404 429 503",
            "post, /v1/skus/{skuId}/deductions/{deductKey}/rollback, 400 404 413 415 429 503",
            "get, /v1/export/redis-stock, 429 503"
        })
        void documentsTheProblemsOfAnOperation(String method, String path, String statuses) {
            // When
            JsonNode responses = operation(method, path).path("responses");

            // Then
            for (String status : statuses.split(" ")) {
                JsonNode content = responses.path(status).path("content");
                assertEquals(Set.of("application/problem+json"), Api.fields(content), path + " " + status);
                assertEquals(
                        "#/components/schemas/Problem",
                        content.path("application/problem+json")
                                .path("schema")
                                .path("$ref")
                                .asText());
            }
        }

        @ParameterizedTest
        @CsvSource({
            "put, /v1/skus/{skuId}",
            "post, /v1/skus/{skuId}/adjustments",
            "post, /v1/skus/{skuId}/deductions",
            "post, /v1/skus/{skuId}/deductions/{deductKey}/rollback"
        })
        void hasAnExampleOfEveryBody(String method, String path) {
            // When
            JsonNode body =
                    operation(method, path).path("requestBody").path("content").path("application/json");

            // Then
            assertTrue(body.path("schema").path("$ref").asText().startsWith("#/components/schemas/"), body.toString());
            assertFalse(body.path("examples").isEmpty(), body.toString());
        }

        @Test
        void hasAnExampleAndTheLimitsOfEveryParameter() {
            api().path("paths")
                    .fields()
                    .forEachRemaining(path -> path.getValue()
                            .forEach(operation -> operation.path("parameters").forEach(parameter -> {
                                if (path.getKey().startsWith("/v1/")) {
                                    assertFalse(parameter.path("example").isMissingNode(), path.getKey() + parameter);
                                }
                            })));
            JsonNode skuId =
                    operation("get", "/v1/skus/{skuId}").path("parameters").path(0);
            assertAll(
                    () -> assertEquals("skuId", skuId.path("name").textValue()),
                    () -> assertEquals(
                            "integer", skuId.path("schema").path("type").textValue()),
                    () -> assertEquals(
                            9_007_199_254_740_991L,
                            skuId.path("schema").path("maximum").longValue()));
        }

        @Test
        void hasTheProblem() {
            // When
            JsonNode problem = api().path("components").path("schemas").path("Problem");

            // Then
            assertEquals(
                    new TreeSet<>(List.of(
                            "type",
                            "title",
                            "status",
                            "detail",
                            "instance",
                            "code",
                            "soldOut",
                            "finished",
                            "violations")),
                    Api.fields(problem.path("properties")));
        }

        @ParameterizedTest
        @ValueSource(strings = {"Sku", "SkuDefinition", "Deducted", "DeductionRequest", "Deduction", "RolledBack"})
        void hasTheShapeOf(String schema) {
            assertFalse(api().path("components")
                    .path("schemas")
                    .path(schema)
                    .path("properties")
                    .isEmpty());
        }

        @Test
        void tellsNoHost() {
            assertTrue(api().path("servers").isMissingNode());
        }
    }

    @Nested
    class ThePage {

        @Test
        void isThere() {
            // When
            Answer page = Api.get("/q/swagger-ui/");

            // Then
            assertEquals(200, page.status());
            assertTrue(page.header("Content-Type").startsWith("text/html"));
        }
    }
}
