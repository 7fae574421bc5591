package io.penstock.stock;

import static io.penstock.stock.DeductCode.DEDUCTED;
import static io.penstock.stock.DeductCode.DEDUCTED_LAST;
import static io.penstock.stock.DeductCode.DUPLICATE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeductCodeTest {

    @ParameterizedTest
    @CsvSource({
        "3, DEDUCTED",
        "2, DEDUCTED_LAST",
        "1, INSUFFICIENT",
        "0, DUPLICATE",
        "-1, NOT_LOADED",
        "4, KEY_REUSED",
        "5, FINISHED",
        "6, SPILLED",
        "7, CLOSED"
    })
    void keepsTheNumbersThatOperatorsKnow(int number, DeductCode code) {
        assertEquals(number, code.number());
        assertEquals(code, DeductCode.of(number));
    }

    @ParameterizedTest
    @EnumSource
    void hasANumberForEveryAnswer(DeductCode code) {
        assertEquals(code, DeductCode.of(code.number()));
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, -3, 8, Integer.MAX_VALUE})
    void refusesANumberThatNoScriptAnswers(int number) {
        assertThrows(IllegalArgumentException.class, () -> DeductCode.of(number));
    }

    @Test
    void holdsUnitsOnlyAfterThreeTwoAndZero() {
        assertEquals(
                EnumSet.of(DEDUCTED, DEDUCTED_LAST, DUPLICATE),
                Arrays.stream(DeductCode.values())
                        .filter(DeductCode::holdsUnits)
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(DeductCode.class))));
    }
}
