package io.penstock.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The protocol keeps its promises in every state of every sale, and each safeguard is needed for that. */
class ProtocolModelTest {

    @ParameterizedTest
    @EnumSource
    void keepsItsPromisesInEveryStateOf(Sale sale) {
        Set<Situation> missed = Arrays.stream(Situation.values())
                .filter(situation -> situation.sale() == sale)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Situation.class)));

        Checker.Walked walked =
                new Checker(new Protocol(sale, null)).walk(s -> missed.removeIf(situation -> situation.shows(s)));

        assertNull(walked.violation(), () -> "" + walked.violation());
        assertEquals(Set.of(), missed, "situations that the sale should come across");
        assertTrue(
                walked.states() >= sale.leastStates(),
                () -> "only " + walked.states() + " states, where there were " + sale.leastStates());
    }

    @ParameterizedTest
    @EnumSource
    void breaksWithout(Safeguard safeguard, TestReporter reporter) {
        Checker.Walked walked = new Checker(new Protocol(safeguard.sale(), safeguard)).walk(s -> {});

        assertNotNull(walked.violation(), safeguard.why());
        reporter.publishEntry("without " + safeguard, walked.violation().toString());
    }
}
