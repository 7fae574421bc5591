package io.penstock.local;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.Optional;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * The service with its servers beside it: what {@code main} is in the profile {@code local}. In dev mode every reload runs it
 * again in a new class loader; the servers stay.
 */
@QuarkusMain
public final class LocalMain implements QuarkusApplication {

    private static final String HTTP_PORT = "quarkus.http.port";
    private static final String HTTP_HOST = "quarkus.http.host";

    public static void main(String... arguments) {
        boolean reloaded = LocalServers.sharedAreStarted();
        if (!reloaded) {
            endWithMaven();
        }
        try {
            // System properties outrank the environment: whoever asks for local servers gets these.
            LocalServers.shared(ServerOptions.onWellKnownPorts()).environment().forEach(System::setProperty);
        } catch (LocalServersFailed e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
        // As late as can be, so that it is still free when it is bound. After a reload it is this JVM that holds it.
        if (!reloaded) {
            chooseHttpPort();
        }
        if (System.getenv("PENSTOCK_SECURITY") == null) {
            System.setProperty("PENSTOCK_SECURITY", "off");
        }
        // Without security a trial is for this machine alone, unless someone asks otherwise.
        if (System.getProperty(HTTP_HOST) == null && System.getenv("QUARKUS_HTTP_HOST") == null) {
            System.setProperty(HTTP_HOST, "localhost");
        }
        Quarkus.run(LocalMain.class, arguments);
    }

    @Override
    public int run(String... arguments) {
        int port = ConfigProvider.getConfig().getValue(HTTP_PORT, Integer.class);
        DemoSku.offer(port, LocalServers.shared(ServerOptions.onWellKnownPorts()));
        Quarkus.waitForExit();
        return 0;
    }

    /** A port that was asked for is kept, and Quarkus says so if it is taken. */
    private static void chooseHttpPort() {
        boolean asked = System.getProperty(HTTP_PORT) != null || System.getenv("QUARKUS_HTTP_PORT") != null;
        if (!asked && !Ports.isFree(8080)) {
            int port = Ports.free();
            System.setProperty(HTTP_PORT, Integer.toString(port));
            System.out.println("Port 8080 is taken, so Penstock is on " + port + ".");
        }
    }

    /**
     * The JVM of dev mode outlives a Maven that is killed, and would keep the servers. A packaged service does not end with its
     * parent, which may be a shell that is left. The launch mode is not known yet, but the class loader is.
     */
    private static void endWithMaven() {
        boolean dev =
                LocalMain.class.getClassLoader().getClass().getSimpleName().equals("QuarkusClassLoader");
        Optional<ProcessHandle> maven = ProcessHandle.current().parent();
        if (dev && maven.isPresent()) {
            maven.get().onExit().thenRun(() -> System.exit(0));
        }
    }
}
