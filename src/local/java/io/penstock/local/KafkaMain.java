package io.penstock.local;

import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/**
 * Runs the broker in its own JVM: formats the log folder unless it is, starts, and creates a file when it is up. The class
 * is copied there alone, so it uses nothing of Penstock and has no nested classes.
 */
final class KafkaMain {

    private static final String CLUSTER_ID = "cGVuc3RvY2stbG9jYWwtMQ";

    private KafkaMain() {}

    /** Arguments: the settings file, and the file to create when it is up. */
    public static void main(String... arguments) throws Exception {
        StorageTool.execute(
                new String[] {"format", "--ignore-formatted", "-t", CLUSTER_ID, "-c", arguments[0]}, System.out);
        Properties settings = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(arguments[0]))) {
            settings.load(reader);
        }
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
        try {
            server.startup();
        } catch (Throwable failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Files.createFile(Path.of(arguments[1]));
        server.awaitShutdown();
    }
}
