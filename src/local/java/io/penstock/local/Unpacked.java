package io.penstock.local;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Enumeration;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Programs unpacked from jars, once per user, into the cache folder. A folder appears there complete or not at all: it is
 * filled under another name and renamed. Unpackings at the same time wait for one another; what an interrupted one left is
 * overwritten by the next.
 */
final class Unpacked {

    private Unpacked() {}

    /**
     * @param name of the folder in the cache, with the version in it
     * @param resource one resource of the jar
     * @param prefix of the entries wanted, cut off in the folder
     * @param wanted which of them
     */
    static Path fromJar(
            String title,
            String name,
            String resource,
            String prefix,
            Predicate<String> wanted,
            Consumer<String> progress)
            throws IOException {
        Path folder = cache().resolve(name);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        Files.createDirectories(folder.getParent());
        // The file lock is between processes; Java refuses a second one in the same process, hence the monitor. It is a
        // string
        // because class loaders (Quarkus has several) do not share classes, but interned strings they do.
        synchronized (("penstock.local.unpack." + name).intern()) {
            try (FileChannel channel = FileChannel.open(
                            folder.resolveSibling(name + ".lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (!Files.isDirectory(folder)) {
                    progress.accept("Unpacking " + title + " into " + folder + " (once) …");
                    Path part = folder.resolveSibling(name + ".part");
                    remove(part);
                    unpack(jarOf(resource), prefix, wanted, part);
                    Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
                }
            }
        }
        return folder;
    }

    private static void unpack(Path jar, String prefix, Predicate<String> wanted, Path into) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                if (entry.isDirectory() || !entry.getName().startsWith(prefix)) {
                    continue;
                }
                String relative = entry.getName().substring(prefix.length());
                if (!wanted.test(relative)) {
                    continue;
                }
                Path target = into.resolve(relative).normalize();
                if (!target.startsWith(into)) {
                    throw new IOException("Entry " + entry.getName() + " of " + jar + " leads out of its folder");
                }
                Files.createDirectories(target.getParent());
                try (InputStream content = file.getInputStream(entry)) {
                    Files.copy(content, target);
                }
                Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }

    /** The jar that holds a resource, in whatever class loader this runs: tests, dev mode, the packaged service. */
    static Path jarOf(String resource) {
        URL url = Thread.currentThread().getContextClassLoader().getResource(resource);
        if (url == null) {
            url = Unpacked.class.getClassLoader().getResource(resource);
        }
        if (url == null) {
            throw new LocalServersFailed(
                    resource + " is not on the class path: the version in pom.xml and the one in the code differ.");
        }
        return jarOf(url);
    }

    static Path jarOf(URL url) {
        String location = url.toString();
        int end = location.indexOf("!/");
        if (!location.startsWith("jar:") || end < 0) {
            throw new LocalServersFailed(location + " is not in a jar.");
        }
        return Path.of(URI.create(location.substring("jar:".length(), end).replace(" ", "%20")));
    }

    private static Path cache() {
        String base = System.getenv("XDG_CACHE_HOME");
        Path cache =
                base == null || base.isBlank() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(base);
        return cache.resolve("penstock").toAbsolutePath();
    }

    static void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (var paths = Files.walk(folder)) {
            for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
