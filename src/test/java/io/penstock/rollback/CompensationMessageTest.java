package io.penstock.rollback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.penstock.ledger.Debt;
import io.penstock.ledger.Owed;
import io.penstock.platform.Unreadable;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompensationMessageTest {

    private static CompensationMessage read(String json) throws Unreadable {
        return CompensationMessage.read(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void isReadAsItWasWritten() throws Unreadable {
        // Given
        var message = new CompensationMessage(
                new Owed(Debt.Kind.STRAY, new SkuId(1001), new DeductKey("order-1"), 3, null, "sold elsewhere"));

        // When
        byte[] written = message.toBytes();

        // Then
        assertEquals(
                "{\"v\":1,\"kind\":\"STRAY\",\"deductKey\":\"order-1\",\"skuId\":1001,\"bucketNo\":3,\"cause\":\"sold elsewhere\"}",
                new String(written, StandardCharsets.UTF_8));
        assertEquals(message, CompensationMessage.read(written));
    }

    @Test
    void mayHaveFieldsOfANewerVersion() throws Unreadable {
        // When
        Owed owed =
                read("{\"v\":1,\"kind\":\"ROLLBACK\",\"deductKey\":\"order-1\",\"skuId\":1001,\"cause\":\"why\",\"new\":1}")
                        .owed();

        // Then
        assertEquals(new Owed(Debt.Kind.ROLLBACK, new SkuId(1001), new DeductKey("order-1"), null, null, "why"), owed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "garbage | not JSON",
                "[1] | not a JSON object",
                "{\"v\":2,\"kind\":\"ROLLBACK\",\"deductKey\":\"a\",\"skuId\":1,\"cause\":\"why\"} | version is not 1",
                "{\"v\":1,\"kind\":\"OTHER\",\"deductKey\":\"a\",\"skuId\":1,\"cause\":\"why\"} | kind is not known",
                "{\"v\":1,\"kind\":1,\"deductKey\":\"a\",\"skuId\":1,\"cause\":\"why\"} | kind must be a string",
                "{\"v\":1,\"kind\":\"ROLLBACK\",\"deductKey\":1,\"skuId\":1,\"cause\":\"why\"} | deductKey must be a string",
                "{\"v\":1,\"kind\":\"ROLLBACK\",\"deductKey\":\"a\",\"skuId\":\"1\",\"cause\":\"why\"} | skuId must be an integer",
                "{\"v\":1,\"kind\":\"ROLLBACK\",\"deductKey\":\"a\",\"skuId\":1.0,\"cause\":\"why\"} | skuId must be an integer",
                "{\"v\":1,\"kind\":\"ROLLBACK\",\"deductKey\":\"a\",\"skuId\":1} | cause must be a string",
                "{\"v\":1,\"kind\":\"STRAY\",\"deductKey\":\"a\",\"skuId\":1,\"cause\":\"why\"} | bucketNo must be given for a STRAY",
                "{\"v\":1,\"kind\":\"STRAY\",\"deductKey\":\"a\",\"skuId\":1,\"bucketNo\":\"3\",\"cause\":\"why\"} | bucketNo must be an integer",
                "{\"v\":1,\"kind\":\"STRAY\",\"deductKey\":\"a\",\"skuId\":1,\"bucketNo\":10000,\"cause\":\"why\"} | bucketNo must be an integer between 0 and 9999"
            })
    void isRefusedWithItsReason(String json, String reason) {
        assertEquals(reason, assertThrows(Unreadable.class, () -> read(json)).getMessage());
    }
}
