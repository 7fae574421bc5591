package io.penstock.deduction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.LedgerDeduction;
import io.penstock.ledger.UnknownSku;
import io.penstock.settlement.Outcomes;
import io.penstock.sku.Layout;
import io.penstock.sku.Layouts;
import io.penstock.stock.DeductCode;
import io.quarkus.runtime.Startup;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * 扣减, whichever way the SKU is sold. Idempotent by deduct key. Fails with {@code unknown-sku}, or as the gate, the log and the ledger fail; then asking again with
 * the same key decides.
 */
@Startup // so that its metrics are there, at 0, from the start
@ApplicationScoped
public class Deductions {

    /** Around what a sale should take (some 10 ms), and up to where a client gives up. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5)
    };

    private final Layouts layouts;
    private final GateDeductions gate;
    private final FlowLedger ledger;
    private final Outcomes outcomes;
    private final Map<DeductCode, Counter> answered = new EnumMap<>(DeductCode.class);
    private final Timer seconds;

    Deductions(Layouts layouts, GateDeductions gate, FlowLedger ledger, Outcomes outcomes, MeterRegistry metrics) {
        this.layouts = layouts;
        this.gate = gate;
        this.ledger = ledger;
        this.outcomes = outcomes;
        for (DeductCode code : DeductCode.values()) {
            if (code != DeductCode.SPILLED) {
                answered.put(
                        code,
                        Counter.builder("penstock.deductions")
                                .description("Decided deductions by the code their client was answered")
                                .tag("code", Integer.toString(code.number()))
                                .register(metrics));
            }
        }
        this.seconds = Timer.builder("penstock.deduct")
                .description("Time from a deduction's request to its decision, Kafka's acknowledgement included")
                .serviceLevelObjectives(BUCKETS)
                .register(metrics);
    }

    public Uni<Decision> deduct(DeductionRequest request) {
        long began = System.nanoTime();
        return layouts.forRequest(request.skuId())
                .chain(layout -> deduct(layout, request))
                .onFailure(UnknownSku.class)
                .transform(e -> Layouts.unknown(request.skuId()))
                .invoke(decision -> {
                    answered.get(decision.code()).increment();
                    seconds.record(System.nanoTime() - began, TimeUnit.NANOSECONDS);
                });
    }

    private Uni<Decision> deduct(Layout layout, DeductionRequest request) {
        return switch (layout.strategy()) {
            case REDIS -> gate.deduct(layout, request);
            case DB_CONDITIONAL ->
                decide(ledger.deductConditional(
                        request.skuId(), request.deductKey(), request.qty(), request.traceId()));
            case DB_PESSIMISTIC ->
                decide(ledger.deductPessimistic(
                        request.skuId(), request.deductKey(), request.qty(), request.traceId()));
        };
    }

    /** The ledger has it, and its outcome is owed: Kafka need not be waited for. */
    private Uni<Decision> decide(Uni<LedgerDeduction> deducted) {
        return deducted.map(answer -> {
            if (answer.outcomesId() != 0) {
                outcomes.tellSoon(answer.outcomesId(), List.of(Outcomes.of(answer.flow())));
            }
            return switch (answer.code()) {
                case DEDUCTED, DEDUCTED_LAST, DUPLICATE ->
                    Decision.accepted(answer.code(), answer.flow().bucketNo());
                case INSUFFICIENT -> Decision.insufficient(answer.available() == 0);
                case FINISHED -> Decision.finished(answer.flow().status());
                case KEY_REUSED, CLOSED -> Decision.of(answer.code());
                case NOT_LOADED, SPILLED -> throw new IllegalStateException("the ledger answered " + answer.code());
            };
        });
    }
}
