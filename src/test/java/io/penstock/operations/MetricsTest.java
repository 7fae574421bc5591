package io.penstock.operations;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.platform.Api;
import io.penstock.platform.ProblemType;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** What is counted, from the first scrape on. */
@QuarkusTest
@TestProfile(MetricsTest.ANewStart.class)
@TestMethodOrder(OrderAnnotation.class)
class MetricsTest {

    /** An instance that no other test has used. */
    public static final class ANewStart implements QuarkusTestProfile {}

    private static final Pattern TAG = Pattern.compile("([a-z_]+)=\"");

    /** Penstock's own samples: name with tags to value. */
    private static Map<String, Double> metrics() {
        Map<String, Double> samples = new LinkedHashMap<>();
        Api.get("/q/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith("penstock_"))
                .forEach(line -> {
                    int space = line.lastIndexOf(' ');
                    samples.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
                });
        return samples;
    }

    private static double deductions(int code) {
        return metrics().get("penstock_deductions_total{code=\"" + code + "\"}");
    }

    private static double rollbacks(String outcome) {
        return metrics().get("penstock_rollbacks_total{outcome=\"" + outcome + "\"}");
    }

    @Test
    @Order(1)
    void everythingIsThereAs0AtTheStart() {
        // When
        Map<String, Double> metrics = metrics();

        // Then
        for (int code : new int[] {3, 2, 1, 0, -1, 4, 5, 7}) {
            assertEquals(0.0, metrics.get("penstock_deductions_total{code=\"" + code + "\"}"), "code " + code);
        }
        assertEquals(0.0, metrics.get("penstock_bucket_fragmentation_max"));
        for (String outcome : List.of("ROLLED_BACK", "ALREADY_ROLLED_BACK", "CANCELLED", "COMPENSATING")) {
            assertEquals(0.0, metrics.get("penstock_rollbacks_total{outcome=\"" + outcome + "\"}"), outcome);
        }
        for (String name : List.of(
                "penstock_deduct_seconds_count",
                "penstock_deduct_seconds_sum",
                "penstock_rollback_duplicates_total",
                "penstock_rollback_failures_total",
                "penstock_settlement_batch_size_count",
                "penstock_settlement_batch_size_sum",
                "penstock_settlement_lag_seconds",
                "penstock_ledger_rejections_total",
                "penstock_out_of_order_rollbacks_total",
                "penstock_dead_letters_total")) {
            assertEquals(0.0, metrics.get(name), name);
        }
    }

    @Test
    @Order(2)
    void eachDecisionIsCountedByItsCode() {
        // Given
        long skuId = Api.newSku(3, 0);
        double timed = metrics().get("penstock_deduct_seconds_count");

        // When
        Api.deduct(skuId, "order-1", 2).ok(201);
        Api.deduct(skuId, "order-1", 2).ok(200);
        Api.deduct(skuId, "order-1", 1).problem(ProblemType.DEDUCT_KEY_REUSED);
        Api.deduct(skuId, "order-2", 1).ok(201);
        Api.deduct(skuId, "order-3", 1).problem(ProblemType.INSUFFICIENT_STOCK);

        // Then
        assertEquals(1, deductions(3));
        assertEquals(1, deductions(0));
        assertEquals(1, deductions(4));
        assertEquals(1, deductions(2));
        assertEquals(1, deductions(1));
        assertEquals(timed + 5, metrics().get("penstock_deduct_seconds_count"));
        await().until(() -> metrics().get("penstock_settlement_batch_size_sum") >= 2);
        await().until(() -> metrics().get("penstock_settlement_lag_seconds") == 0);
    }

    @Test
    @Order(3)
    void eachRollbackIsCountedByItsOutcome() {
        // Given
        long skuId = Api.newSku(3, "DB_CONDITIONAL");
        Api.deduct(skuId, "order-1", 2).ok(201);
        double duplicates = metrics().get("penstock_rollback_duplicates_total");

        // When
        String deductions = "/v1/skus/" + skuId + "/deductions/";
        Api.post(deductions + "order-1/rollback").ok(200);
        Api.post(deductions + "order-1/rollback").ok(200);
        Api.post(deductions + "order-2/rollback").ok(200);

        // Then
        assertEquals(1, rollbacks("ROLLED_BACK"));
        assertEquals(1, rollbacks("ALREADY_ROLLED_BACK"));
        assertEquals(1, rollbacks("CANCELLED"));
        assertEquals(duplicates + 1, metrics().get("penstock_rollback_duplicates_total"));
    }

    @Test
    @Order(4)
    void noKeyUserOrSkuIsATag() {
        // When
        Set<String> tags = metrics().keySet().stream()
                .flatMap(name -> TAG.matcher(name).results().map(found -> found.group(1)))
                .collect(Collectors.toCollection(TreeSet::new));

        // Then
        assertTrue(Set.of("code", "outcome", "le", "quantile").containsAll(tags), tags.toString());
    }

    @Test
    @Order(5)
    void theHistogramOfDeductionsHasAHandfulOfBuckets() {
        // When
        List<String> limits = metrics().keySet().stream()
                .filter(name -> name.startsWith("penstock_deduct_seconds_bucket"))
                .map(name -> {
                    Matcher limit = Pattern.compile("le=\"([^\"]+)\"").matcher(name);
                    assertTrue(limit.find(), name);
                    return limit.group(1);
                })
                .toList();

        // Then
        assertEquals(List.of("0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "1.0", "5.0", "+Inf"), limits);
    }
}
