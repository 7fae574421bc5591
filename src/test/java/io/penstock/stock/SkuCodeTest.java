package io.penstock.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkuCodeTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"A", "SKU_A", "sku-1.2", "-", ".", "_", "AZaz09_.-", "_B", "SKU_B", "SKU_B1x", "B1", "SKU_b1"})
    void takesLettersDigitsAndThreeSigns(String text) {
        assertEquals(text, new SkuCode(text).value());
    }

    @Test
    void takesThirtyTwoCharactersAndNotOneMore() {
        assertEquals(32, new SkuCode("s".repeat(32)).value().length());
        assertThrows(InvalidValue.class, () -> new SkuCode("s".repeat(33)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"_B1", "SKU_B0", "SKU_B12", "SKU_B3_B4"})
    void refusesWhatLooksLikeABucket(String text) {
        assertThrows(InvalidValue.class, () -> new SkuCode(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "A B", "A}", "{A", "A:B", "A/B", "A\n", "A\u0000", "商品", "É"})
    void refusesWhatCouldMoveAHashSlotOrHideInALog(String text) {
        assertThrows(InvalidValue.class, () -> new SkuCode(text));
    }
}
