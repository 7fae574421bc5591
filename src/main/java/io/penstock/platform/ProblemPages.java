package io.penstock.platform;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Where a problem's {@code type} leads. */
@Path("/problems")
@Tag(name = "Problems")
public class ProblemPages {

    public record Explanation(String type, String title, int status, String explanation) {}

    @GET
    @Path("/{name}")
    @Produces(MediaType.APPLICATION_JSON)
    @Operation(summary = "What a kind of problem means, and what to do about it")
    public Explanation explain(String name) {
        ProblemType type = ProblemType.ofSlug(name)
                .orElseThrow(() -> ProblemException.of(ProblemType.NOT_FOUND, "There is no problem of this name."));
        return new Explanation("/problems/" + type.slug(), type.title(), type.status(), type.explanation());
    }
}
