package io.penstock.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/** The service finds the servers without being told, and they are of the versions it is meant for. */
@QuarkusTest
class ServiceOnLocalServersTest {

    @Inject
    DataSource ledger;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String redisHosts;

    @Test
    void migratesTheLedgerAtItsStart() throws SQLException {
        try (Connection connection = ledger.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT COUNT(*), VERSION() FROM flyway_schema_history WHERE success = 1")) {
            rows.next();
            assertTrue(rows.getInt(1) >= 1);
            assertTrue(rows.getString(2).startsWith("11.4"), rows.getString(2));
        }
    }

    /** Its class loader is not the one that started them. */
    @Test
    void canControlTheServersThatItRunsOn() {
        LocalServer redis = LocalServers.forTests().redis();
        long before = redis.pid();

        redis.restart();

        assertTrue(redis.isRunning());
        assertTrue(redis.pid() != before);
        assertEquals("redis://" + redis.address(), redisHosts);
    }
}
