package io.penstock.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlowStatusTest {

    @ParameterizedTest
    @CsvSource({"DEDUCTED, 1", "REJECTED, 1", "ROLLED_BACK, 2", "CANCELLED, 2"})
    void hasTheVersionByWhichConsumersIgnoreAnOlderOutcome(FlowStatus status, int version) {
        assertEquals(version, status.version());
    }
}
