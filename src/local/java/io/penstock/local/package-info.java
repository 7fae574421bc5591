/**
 * Local servers: real Redis 7, MariaDB 11.4 and Kafka 4.1 from Maven artifacts, for trying Penstock out and for its tests. No
 * Docker, no root; Linux on x86-64.
 *
 * <p>Entry points: {@link io.penstock.local.LocalServers} for tests, {@link io.penstock.local.LocalMain} for the profile
 * {@code local}. Without that profile nothing of this package is in the artifact.
 *
 * <p>Invariant: whatever way this JVM ends, {@code kill -9} included, no server and no data folder is left behind. A guard
 * process (see {@link io.penstock.local.Guard}) sees to it; this JVM has no shutdown hook, so the service drains while its
 * servers still run.
 */
package io.penstock.local;
