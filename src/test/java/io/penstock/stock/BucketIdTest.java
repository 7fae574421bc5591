package io.penstock.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BucketIdTest {

    private static final SkuId SKU = new SkuId(1001);
    private static final SkuCode CODE = new SkuCode("SKU_A");

    @ParameterizedTest
    @CsvSource({"0, 1001-SKU_A", "1, 1001-SKU_A_B1", "3, 1001-SKU_A_B3", "9999, 1001-SKU_A_B9999"})
    void namesTheSlotOfItsKeys(int bucketNo, String tag) {
        assertEquals(tag, new BucketId(SKU, CODE, bucketNo).tag());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 10_000, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void refusesANumberThatNoScriptTakes(int bucketNo) {
        assertThrows(InvalidValue.class, () -> new BucketId(SKU, CODE, bucketNo));
    }
}
