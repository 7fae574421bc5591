package io.penstock.platform;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A problem as it is sent, {@code application/problem+json} (RFC 9457). Never holds a stack trace, SQL, a host or a class name. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@Schema(description = "RFC 9457 problem")
public record Problem(
        @Schema(examples = "/problems/insufficient-stock") String type,
        @Schema(examples = "Not enough stock") String title,
        @Schema(examples = "409") int status,
        String detail,

        @Schema(description = "the path that was asked", examples = "/v1/skus/1001/deductions")
        String instance,

        @Schema(description = "what the script, or its database twin, answered", examples = "1")
        Integer code,

        @Schema(description = "with insufficient-stock: no bucket had a unit left")
        Boolean soldOut,

        @Schema(description = "with deduction-finished, where known: ROLLED_BACK, CANCELLED or REJECTED")
        String finished,

        @Schema(description = "with invalid-request: each field outside its limits")
        List<Violation> violations) {}
