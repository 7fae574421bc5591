package io.penstock.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 999_999, 1_000_000})
    void takesOneToAMillion(int units) {
        assertEquals(units, new Quantity(units).value());
        assertEquals(new Quantity(units), Quantity.of(units));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1_000_001, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void refusesEverythingElse(int units) {
        assertThrows(InvalidValue.class, () -> new Quantity(units));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1_000_001, 4_294_967_297L, -4_294_967_295L, Long.MAX_VALUE, Long.MIN_VALUE})
    void refusesALargeNumberInsteadOfCuttingItToOneThatWouldDo(long units) {
        assertThrows(InvalidValue.class, () -> Quantity.of(units));
    }
}
