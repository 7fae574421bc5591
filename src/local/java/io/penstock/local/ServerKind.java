package io.penstock.local;

import java.util.Locale;

/** The servers that Penstock needs, with the port each is known by. */
public enum ServerKind {
    REDIS("Redis 7.0.15", 6379, new RedisRecipe()),
    LEDGER("MariaDB 11.4.5", 3306, new MariaDbRecipe()),
    KAFKA("Kafka 4.1.2", 9092, new KafkaRecipe());

    private final String title;
    private final int wellKnownPort;
    private final Recipe recipe;

    ServerKind(String title, int wellKnownPort, Recipe recipe) {
        this.title = title;
        this.wellKnownPort = wellKnownPort;
        this.recipe = recipe;
    }

    public String title() {
        return title;
    }

    int wellKnownPort() {
        return wellKnownPort;
    }

    Recipe recipe() {
        return recipe;
    }

    String folderName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
