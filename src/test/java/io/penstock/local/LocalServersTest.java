package io.penstock.local;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LocalServersTest {

    @Nested
    class TheSharedServers {

        private final LocalServers servers = LocalServers.forTests();

        @Test
        void areStartedOnce() {
            assertEquals(servers.folder(), LocalServers.forTests().folder());
            assertEquals(servers.environment(), LocalServers.forTests().environment());
        }

        @Test
        void runOnWhenSomeoneClosesThem() {
            LocalServers.forTests().close();

            assertTrue(servers.redis().isRunning());
        }

        @Test
        void areAllThereForTheService() {
            assertEquals(
                    List.of(
                            "KAFKA_BOOTSTRAP_SERVERS",
                            "LEDGER_DATABASE",
                            "LEDGER_HOST",
                            "LEDGER_PASSWORD",
                            "LEDGER_PORT",
                            "LEDGER_USERNAME",
                            "REDIS_HOSTS"),
                    servers.environment().keySet().stream().sorted().toList());
        }
    }

    @Nested
    class ARedis {

        @Test
        void keepsWhatItHadWhenItIsRestarted() throws IOException {
            try (LocalServers servers = redisWith()) {
                redis(servers, "SET stock 7");
                int port = servers.redis().port();

                servers.redis().restart();

                assertEquals("$1", redis(servers, "GET stock"));
                assertEquals(port, servers.redis().port());
            }
        }

        @Test
        void isGoneWhenItIsKilledAndComesBackWhenItIsStarted() throws IOException {
            try (LocalServers servers = redisWith()) {
                servers.redis().kill();

                assertFalse(servers.redis().isRunning());
                assertThrows(IOException.class, () -> redis(servers, "PING"));

                servers.redis().start();

                assertEquals("+PONG", redis(servers, "PING"));
            }
        }

        @Test
        void isSilentWhilePausedAndAnswersWhenItGoesOn() throws IOException {
            try (LocalServers servers = redisWith()) {
                servers.redis().pause();

                assertThrows(SocketTimeoutException.class, () -> redis(servers, "PING"));

                servers.redis().resume();

                assertEquals("+PONG", redis(servers, "PING"));
            }
        }

        @Test
        void canBeStoppedWhilePaused() {
            try (LocalServers servers = redisWith()) {
                servers.redis().pause();

                servers.redis().stop();

                assertFalse(servers.redis().isRunning());
            }
        }

        @Test
        void takesSettings() throws IOException {
            try (LocalServers servers = redisWith("--maxmemory", "1")) {
                assertTrue(redis(servers, "SET stock 7").startsWith("-OOM"));
            }
        }

        @Test
        void saysWhyItDoesNotStart() {
            LocalServersFailed failure =
                    assertThrows(LocalServersFailed.class, () -> redisWith("--no-such-setting", "1"));

            assertTrue(failure.getMessage().contains("ended with exit code 1"), failure.getMessage());
            assertTrue(failure.getMessage().contains("no-such-setting"), failure.getMessage());
        }

        @Test
        void movesWhenItsPortIsTaken() throws IOException {
            List<String> told = new ArrayList<>();
            ServerOptions wellKnown = ServerOptions.onWellKnownPorts();
            ServerOptions options = new ServerOptions(
                    wellKnown.kinds(), true, wellKnown.redis(), wellKnown.ledger(), wellKnown.kafka(), told::add);
            try (ServerSocket taken = takeUnlessTaken(ServerKind.REDIS.wellKnownPort());
                    LocalServers servers = LocalServers.start(options.only(ServerKind.REDIS))) {
                assertNotEquals(
                        ServerKind.REDIS.wellKnownPort(), servers.redis().port());
                assertTrue(told.stream().anyMatch(line -> line.startsWith("Port 6379 is taken")), told.toString());
            }
        }

        private LocalServers redisWith(String... settings) {
            return LocalServers.start(
                    ServerOptions.onFreePorts().only(ServerKind.REDIS).redis(settings));
        }
    }

    @Nested
    class ALedger {

        @Test
        void keepsWhatItCommittedWhenItIsKilled() throws SQLException {
            try (LocalServers servers = ledgerWith(ServerOptions.onFreePorts())) {
                sql(servers, "CREATE TABLE kept (n INT)");
                sql(servers, "INSERT INTO kept VALUES (7)");

                servers.ledger().kill();
                servers.ledger().start();

                assertEquals("7", sql(servers, "SELECT n FROM kept").orElseThrow());
            }
        }

        @Test
        void syncsItsBinaryLogWhenAskedFor() throws SQLException {
            try (LocalServers servers = ledgerWith(ServerOptions.onFreePorts().durableLedger())) {
                assertEquals(
                        "ON 1 1",
                        sql(
                                        servers,
                                        "SELECT CONCAT_WS(' ', @@log_bin, @@sync_binlog, @@innodb_flush_log_at_trx_commit)")
                                .orElseThrow());
            }
        }

        @Test
        void letsATestHaveADatabaseOfItsOwn() throws SQLException {
            LocalServers servers = LocalServers.forTests();

            sql(servers, "CREATE DATABASE penstock_own");

            assertTrue(sql(servers, "SHOW DATABASES LIKE 'penstock_own'").isPresent());
            sql(servers, "DROP DATABASE penstock_own");
        }

        private LocalServers ledgerWith(ServerOptions options) {
            return LocalServers.start(options.only(ServerKind.LEDGER));
        }
    }

    @Nested
    class AKafka {

        @Test
        void keepsItsTopicsWhenItIsKilled() throws Exception {
            try (LocalServers servers =
                    LocalServers.start(ServerOptions.onFreePorts().only(ServerKind.KAFKA))) {
                try (Admin admin = admin(servers)) {
                    admin.createTopics(List.of(new NewTopic("kept", 4, (short) 1)))
                            .all()
                            .get(30, TimeUnit.SECONDS);
                }

                servers.kafka().kill();
                servers.kafka().start();

                try (Admin admin = admin(servers)) {
                    assertEquals(
                            4,
                            admin.describeTopics(List.of("kept"))
                                    .allTopicNames()
                                    .get(30, TimeUnit.SECONDS)
                                    .get("kept")
                                    .partitions()
                                    .size());
                }
            }
        }

        @Test
        void createsNoTopicByItself() {
            try (Admin admin = admin(LocalServers.forTests())) {
                assertThrows(
                        ExecutionException.class,
                        () -> admin.describeTopics(List.of("nobody-made-this"))
                                .allTopicNames()
                                .get(30, TimeUnit.SECONDS));
            }
        }

        private Admin admin(LocalServers servers) {
            return Admin.create(Map.of(
                    AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers.kafka().address()));
        }
    }

    @Nested
    class WhenTheyAreClosed {

        @Test
        void nothingIsLeft() {
            LocalServers servers =
                    LocalServers.start(ServerOptions.onFreePorts().only(ServerKind.REDIS));
            long pid = servers.redis().pid();

            servers.close();

            assertFalse(Files.exists(servers.folder()));
            await().atMost(Duration.ofSeconds(10))
                    .until(() ->
                            ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
        }
    }

    private static ServerSocket takeUnlessTaken(int port) throws IOException {
        return Ports.isFree(port) ? new ServerSocket(port) : null;
    }

    private static String redis(LocalServers servers, String command) throws IOException {
        LocalServer redis = servers.redis();
        try (Socket socket = new Socket(redis.host(), redis.port())) {
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
            byte[] answer = new byte[100];
            int length = socket.getInputStream().read(answer);
            return new String(answer, 0, length, StandardCharsets.US_ASCII)
                    .lines()
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Optional<String> sql(LocalServers servers, String statement) throws SQLException {
        String url = "jdbc:mariadb://" + servers.ledger().address() + "/" + LocalServers.LEDGER_DATABASE;
        try (Connection connection =
                        DriverManager.getConnection(url, LocalServers.LEDGER_USERNAME, LocalServers.LEDGER_PASSWORD);
                Statement prepared = connection.createStatement()) {
            if (!prepared.execute(statement)) {
                return Optional.empty();
            }
            ResultSet rows = prepared.getResultSet();
            return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
        }
    }
}
