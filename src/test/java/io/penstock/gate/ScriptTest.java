package io.penstock.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.DeductCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The headers of the scripts are their contract; here they are held against the Java side. */
class ScriptTest {

    private static final Set<Script> READ_ONLY =
            Set.of(Script.INSPECT, Script.FIND, Script.SCAN, Script.HELD, Script.OLD);

    @Nested
    class WhenAHeaderIsRead {

        @ParameterizedTest
        @EnumSource(Script.class)
        void namesTheKeysThatJavaPasses(Script script) {
            // When
            List<String> named = List.of(section(script, "KEYS").trim().split(", "));

            // Then
            assertEquals(script.keys().stream().map(BucketKey::suffix).toList(), named);
        }

        @ParameterizedTest
        @EnumSource(Script.class)
        void givesEachAnswerThatJavaKnows(Script script) {
            // When
            List<Integer> given = new ArrayList<>();
            Matcher answer = Pattern.compile("^-- {2,4}(-?\\d+)  \\S.*$", Pattern.MULTILINE)
                    .matcher(script.text());
            while (answer.find()) {
                given.add(Integer.valueOf(answer.group(1)));
            }

            // Then
            assertEquals(script.answers(), given);
        }

        @ParameterizedTest
        @EnumSource(Script.class)
        void saysWhatItTakesReturnsAndKeeps(Script script) {
            assertFalse(section(script, "ARGV").isBlank());
            assertFalse(section(script, "RETURNS").isBlank());
            assertFalse(section(script, "KEPT").isBlank());
        }

        @Test
        void namesEveryDeductCodeAndNoOther() {
            assertEquals(
                    Arrays.stream(DeductCode.values())
                            .map(code -> code.number())
                            .sorted()
                            .toList(),
                    Script.DEDUCT.answers().stream().sorted().toList());
        }
    }

    @Nested
    class WhenRedisIsFull {

        @ParameterizedTest
        @EnumSource(Script.class)
        void isRefusedAsAWholeUnlessItOnlyReads(Script script) {
            // A first line of `#!lua` makes Redis check the memory once, before the script, and not at each write.
            String expected = READ_ONLY.contains(script) ? "#!lua flags=no-writes" : "#!lua";
            assertEquals(expected, script.text().lines().findFirst().orElseThrow());
        }
    }

    private static String section(Script script, String name) {
        Matcher line =
                Pattern.compile("^-- " + name + " +(.*)$", Pattern.MULTILINE).matcher(script.text());
        assertTrue(line.find(), () -> script + " has no " + name);
        return line.group(1);
    }
}
