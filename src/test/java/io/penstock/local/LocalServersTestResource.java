package io.penstock.local;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.Map;

/**
 * Gives every {@code @QuarkusTest} the shared servers. Named in {@code META-INF/services}, so tests need no annotation. They end
 * with the JVM, not with the application: the next one uses them again.
 */
public final class LocalServersTestResource implements QuarkusTestResourceLifecycleManager {

    @Override
    public Map<String, String> start() {
        return LocalServers.forTests().environment();
    }

    @Override
    public void stop() {
        // See above.
    }
}
