package io.penstock.operations;

import io.penstock.gate.Gate;
import io.penstock.ledger.SkuLedger;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.platform.KafkaAdmin;
import io.penstock.stock.BucketId;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** Can this instance sell? Each server is asked what a sale asks it: Redis a script, the ledger a query, Kafka its topics. */
class ReadyToSell {

    private static final String NOTHING = "none";

    private ReadyToSell() {}

    @Readiness
    @ApplicationScoped
    static class TheGate implements AsyncHealthCheck {

        /** A bucket nobody can define: its scripts run, its keys do not exist. */
        private static final BucketId PROBE =
                new BucketId(new SkuId(SkuId.MAX), new SkuCode("readiness"), BucketId.MAX_NUMBER);

        private final Gate gate;

        TheGate(Gate gate) {
            this.gate = gate;
        }

        @Override
        public Uni<HealthCheckResponse> call() {
            HealthCheckResponseBuilder check = HealthCheckResponse.named("gate (Redis)");
            return ready(
                    check,
                    gate.inspect(PROBE).chain(gate::weaknesses).map(weaknesses -> String.join("; ", weaknesses)));
        }
    }

    @Readiness
    @ApplicationScoped
    static class TheLedger implements AsyncHealthCheck {

        private final SkuLedger ledger;

        TheLedger(SkuLedger ledger) {
            this.ledger = ledger;
        }

        @Override
        public Uni<HealthCheckResponse> call() {
            HealthCheckResponseBuilder check = HealthCheckResponse.named("ledger (MySQL)");
            return ready(check, ledger.find(new SkuId(1)).map(sku -> ""));
        }
    }

    @Readiness
    @ApplicationScoped
    static class TheLog implements AsyncHealthCheck {

        private final KafkaAdmin kafka;

        TheLog(KafkaAdmin kafka) {
            this.kafka = kafka;
        }

        @Override
        public Uni<HealthCheckResponse> call() {
            HealthCheckResponseBuilder check = HealthCheckResponse.named("log (Kafka)");
            return ready(check, kafka.weaknesses().map(weaknesses -> String.join("; ", weaknesses)));
        }
    }

    /** What is weak is told as data; only what cannot answer is DOWN. */
    private static Uni<HealthCheckResponse> ready(HealthCheckResponseBuilder check, Uni<String> weaknesses) {
        return weaknesses
                .map(found -> check.up()
                        .withData("weaknesses", found.isEmpty() ? NOTHING : found)
                        .build())
                .onFailure(DependencyUnavailable.class)
                .recoverWithItem(
                        e -> check.down().withData("reason", e.getMessage()).build());
    }
}
