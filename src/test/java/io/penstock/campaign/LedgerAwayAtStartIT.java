package io.penstock.campaign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.local.LocalServers;
import io.penstock.local.ServerOptions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A service that starts without its ledger: it ends, and says in a line why. */
class LedgerAwayAtStartIT {

    @Test
    void endsWithOneClearLine() throws Exception {
        try (LocalServers servers = LocalServers.start(ServerOptions.onFreePorts())) {
            // Given
            servers.ledger().stop();

            // When
            try (PackagedService service = PackagedService.launch(servers, Map.of())) {
                int exitCode = service.awaitEnd();

                // Then
                String printed = service.log();
                assertEquals(1, exitCode);
                List<String> why = printed.lines()
                        .filter(line -> line.startsWith("Penstock cannot start: the ledger"))
                        .toList();
                assertEquals(1, why.size(), printed);
                assertTrue(why.get(0).contains(servers.ledger().address()), why.get(0));
                assertFalse(printed.contains("\tat "), printed);
            }
        }
    }
}
