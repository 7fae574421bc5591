package io.penstock.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeductKeyTest {

    private static final String SIXTY_FOUR = "k".repeat(64);

    @ParameterizedTest
    @ValueSource(strings = {"a", "Z", "0", "order-1", "20261130:u_7.x-9", "a-", "a:", "AZaz09_.:-"})
    void takesLettersDigitsAndFourSigns(String text) {
        assertEquals(text, new DeductKey(text).value());
    }

    @Test
    void takesSixtyFourCharactersAndNotOneMore() {
        assertEquals(64, new DeductKey(SIXTY_FOUR).value().length());
        assertThrows(InvalidValue.class, () -> new DeductKey(SIXTY_FOUR + "k"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "-a", "_a", ".a", ":a", "a b", "a\n", "\na", "a\u0000", "a/b", "a{b", "a}b", "a,b", "订单", "ä",
                "１", "a\u200b"
            })
    void refusesEverythingElse(String text) {
        assertThrows(InvalidValue.class, () -> new DeductKey(text));
    }

    @Test
    void tellsUpperFromLowerCase() {
        assertNotEquals(new DeductKey("a"), new DeductKey("A"));
    }

    @Test
    void sortsByByteAsTheLedgerDoes() {
        assertTrue(new DeductKey("A").compareTo(new DeductKey("a")) < 0);
        assertTrue(new DeductKey("a").compareTo(new DeductKey("a1")) < 0);
        assertTrue(new DeductKey("9").compareTo(new DeductKey("A")) < 0);
    }
}
