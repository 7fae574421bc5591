package io.penstock.operations;

import io.penstock.sku.SkuView;
import io.penstock.sku.Skus;
import io.penstock.stock.BucketId;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The stock keys of Redis as text, for scripts and for comparing by eye. */
@Path("/v1/export")
@Tag(name = "Operations")
public class RedisStockExport {

    private static final int PAGE = 100;

    private final Skus skus;

    RedisStockExport(Skus skus) {
        this.skus = skus;
    }

    @GET
    @Path("/redis-stock")
    @Produces(MediaType.TEXT_PLAIN)
    @Operation(
            summary = "Every stock key in Redis with its units",
            description = "A line per key, sorted. A bucket that is not loaded has no key, hence no line.")
    @APIResponse(
            responseCode = "200",
            description = "The keys",
            content =
                    @Content(
                            mediaType = MediaType.TEXT_PLAIN,
                            examples = @ExampleObject(name = "one bucket", value = "hot_{1001-SKU_A_B1}_stock 1998\n")))
    public Uni<String> export() {
        AtomicLong after = new AtomicLong();
        return Multi.createBy()
                .repeating()
                .uni(() -> skus.list(after.get(), PAGE).invoke(page -> page.forEach(sku -> after.set(sku.skuId()))))
                .whilst(page -> page.size() == PAGE)
                .onItem()
                .transformToIterable(
                        page -> page.stream().flatMap(RedisStockExport::lines).toList())
                .collect()
                .in(TreeSet<String>::new, TreeSet::add)
                .map(lines -> String.join("", lines));
    }

    private static Stream<String> lines(SkuView sku) {
        if (sku.strategy() != Strategy.REDIS) {
            return Stream.of();
        }
        return sku.buckets().stream().filter(SkuView.BucketView::loaded).map(bucket -> {
            BucketId id = new BucketId(new SkuId(sku.skuId()), new SkuCode(sku.skuCode()), bucket.bucketNo());
            return "hot_{" + id.tag() + "}_stock " + bucket.stock() + "\n";
        });
    }
}
