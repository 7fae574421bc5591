package io.penstock.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkuIdTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 1001, 9_007_199_254_740_991L})
    void takesWhatEveryJsonClientReadsWithoutLoss(long number) {
        assertEquals(number, new SkuId(number).value());
        assertEquals(new SkuId(number), SkuId.parse(Long.toString(number)));
        assertEquals(Long.toString(number), new SkuId(number).toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, 9_007_199_254_740_992L, Long.MAX_VALUE})
    void refusesEverythingElse(long number) {
        assertThrows(InvalidValue.class, () -> new SkuId(number));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "-1",
                "+1",
                "01",
                "1 ",
                " 1",
                "1.0",
                "1e3",
                "0x1",
                "1_000",
                "one",
                "１",
                "9007199254740992",
                "9999999999999999",
                "10000000000000000",
                "99999999999999999999"
            })
    void readsPlainDigitsOnly(String text) {
        assertThrows(InvalidValue.class, () -> SkuId.parse(text));
    }
}
