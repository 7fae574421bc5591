package io.penstock.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One Kafka broker that is its own controller, in a JVM of its own. It creates no topics by itself: what a client does not
 * create is missing here as it would be in production.
 */
final class KafkaRecipe implements Recipe {

    private static final String LOGGING = """
            logger.level=INFO
            logger.handlers=CONSOLE
            handler.CONSOLE=org.jboss.logmanager.handlers.ConsoleHandler
            handler.CONSOLE.properties=autoFlush
            handler.CONSOLE.autoFlush=true
            handler.CONSOLE.formatter=LINE
            formatter.LINE=org.jboss.logmanager.formatters.PatternFormatter
            formatter.LINE.properties=pattern
            formatter.LINE.pattern=%d{HH:mm:ss,SSS} %-5p [%c{1}] %s%e%n
            """;

    @Override
    public void unpack(ServerOptions options) {
        // It runs from the jars of the class path.
    }

    @Override
    public String prepare(Path folder, int port, ServerOptions options) throws IOException {
        Properties settings = settings(folder, port, Ports.free());
        for (String setting : options.kafka()) {
            int equals = setting.indexOf('=');
            settings.setProperty(setting.substring(0, equals), setting.substring(equals + 1));
        }
        try (Writer writer = Files.newBufferedWriter(folder.resolve("server.properties"))) {
            settings.store(writer, null);
        }
        // The class that runs there is copied out: where this class path has its jars is known, where it has its own
        // classes depends on tests, dev mode or package.
        String main = KafkaMain.class.getName();
        String classFile = main.replace('.', '/') + ".class";
        Path copy = folder.resolve("classes").resolve(classFile);
        Files.createDirectories(copy.getParent());
        try (InputStream content = KafkaMain.class.getClassLoader().getResourceAsStream(classFile)) {
            Files.write(copy, content.readAllBytes());
        }
        Files.writeString(folder.resolve("classes/logging.properties"), LOGGING);
        // In a file, since one argument has at most 128 KiB.
        String classPath = folder.resolve("classes") + ":" + jars();
        Files.writeString(
                folder.resolve("java.arguments"),
                "-cp \"" + classPath.replace("\\", "\\\\").replace("\"", "\\\"") + "\"\n");
        return """
                exec %s -Xms32m -Xmx128m -XX:+UseSerialGC -Djava.util.logging.manager=org.jboss.logmanager.LogManager \\
                    @java.arguments %s server.properties %s""".formatted(Recipe.quoted(Path.of(System.getProperty("java.home"), "bin", "java")), main, UP);
    }

    private static Properties settings(Path folder, int port, int controllerPort) {
        Properties settings = new Properties();
        settings.setProperty("process.roles", "broker,controller");
        settings.setProperty("node.id", "1");
        settings.setProperty("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        settings.setProperty("controller.listener.names", "CONTROLLER");
        settings.setProperty(
                "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
        settings.setProperty("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        settings.setProperty("log.dirs", folder.resolve("data").toString());
        settings.setProperty("auto.create.topics.enable", "false");
        settings.setProperty("num.partitions", "4");
        settings.setProperty("default.replication.factor", "1");
        settings.setProperty("min.insync.replicas", "1");
        settings.setProperty("offsets.topic.num.partitions", "1");
        settings.setProperty("offsets.topic.replication.factor", "1");
        settings.setProperty("transaction.state.log.num.partitions", "1");
        settings.setProperty("transaction.state.log.replication.factor", "1");
        settings.setProperty("transaction.state.log.min.isr", "1");
        settings.setProperty("share.coordinator.state.topic.num.partitions", "1");
        settings.setProperty("share.coordinator.state.topic.replication.factor", "1");
        settings.setProperty("share.coordinator.state.topic.min.isr", "1");
        // 128 MB by default, which is the whole heap here.
        settings.setProperty("log.cleaner.dedupe.buffer.size", "8388608");
        // A broker that was killed may register again only when its session is over: 9 s by default.
        settings.setProperty("broker.session.timeout.ms", "3000");
        settings.setProperty("broker.heartbeat.interval.ms", "500");
        // Waiting for more members before the first assignment makes sense for many consumers, not for one.
        settings.setProperty("group.initial.rebalance.delay.ms", "0");
        return settings;
    }

    /**
     * The jars of the class path. All of them have a manifest, and class loaders of every kind can be asked for those. Quarkus'
     * own are left out: with them on the class path, logging waits for a Quarkus that never starts there.
     */
    private static String jars() throws IOException {
        Set<Path> jars = new LinkedHashSet<>();
        for (URL manifest :
                Collections.list(Thread.currentThread().getContextClassLoader().getResources("META-INF/MANIFEST.MF"))) {
            if (manifest.getProtocol().equals("jar")) {
                Path jar = Unpacked.jarOf(manifest);
                if (!jar.getFileName().toString().matches("(io\\.quarkus\\.)?quarkus-.*")) {
                    jars.add(jar);
                }
            }
        }
        return jars.stream().map(Path::toString).collect(Collectors.joining(":"));
    }

    @Override
    public boolean answers(Path folder, int port) {
        // Its port opens before it is ready; it says when it is.
        return Files.exists(folder.resolve(UP));
    }
}
