package io.penstock.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator may set, and what stops the start. */
class ConfigurationTest {

    private static SmallRyeConfig config(Map<String, String> values) {
        return new SmallRyeConfigBuilder()
                .withMapping(SecurityConfig.class)
                .withSources(new PropertiesConfigSource(values, "what the operator set", 500))
                .build();
    }

    @Nested
    class Security {

        @Test
        void isOnUnlessSomebodySaysOtherwise() {
            assertEquals(
                    OnOff.ON,
                    config(Map.of()).getConfigMapping(SecurityConfig.class).mode());
        }

        @ParameterizedTest
        @CsvSource({"on,ON", "off,OFF"})
        void isOnOrOff(String value, OnOff mode) {
            assertEquals(
                    mode,
                    config(Map.of("penstock.security", value))
                            .getConfigMapping(SecurityConfig.class)
                            .mode());
        }

        @ParameterizedTest
        @ValueSource(strings = {"maybe", "true", "0", "of"})
        void isNothingElse(String value) {
            // When
            Exception refused = assertThrows(Exception.class, () -> config(Map.of("penstock.security", value)));

            // Then
            assertTrue(refused.getMessage().contains(value), refused.getMessage());
            assertTrue(refused.getMessage().contains("allowed values: off,on"), refused.getMessage());
        }
    }
}
