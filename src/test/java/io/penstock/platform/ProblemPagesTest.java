package io.penstock.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.junit.QuarkusTest;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A problem's type leads to an explanation. */
@QuarkusTest
class ProblemPagesTest {

    @ParameterizedTest
    @EnumSource(ProblemType.class)
    void everyTypeHasItsPage(ProblemType type) {
        // When
        JsonNode page = Api.get("/problems/" + type.slug()).ok(200);

        // Then
        assertEquals(Set.of("type", "title", "status", "explanation"), Api.fields(page));
        assertEquals("/problems/" + type.slug(), page.path("type").textValue());
        assertEquals(type.title(), page.path("title").textValue());
        assertEquals(type.status(), page.path("status").intValue());
        assertFalse(page.path("explanation").textValue().isBlank());
    }

    @Test
    void aProblemLeadsToItsPage() {
        // Given
        String type = Api.get("/v1/skus/0").violation("skuId").path("type").textValue();

        // When
        JsonNode page = Api.get(type).ok(200);

        // Then
        assertEquals(type, page.path("type").textValue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVALID-REQUEST", "invalid_request", "nope"})
    void anotherNameHasNone(String name) {
        Api.get("/problems/" + name).problem(ProblemType.NOT_FOUND);
    }
}
