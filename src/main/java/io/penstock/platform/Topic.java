package io.penstock.platform;

/** The Kafka topics, as clients know them. */
public enum Topic {
    /** What the gate accepted; partitioned by bucket. */
    DEDUCT(Name.DEDUCT, 4),
    /** Of SKUs with ordering ORDERED: what the gate accepted and what is rolled back, by deduct key. */
    ORDERED(Name.ORDERED, 4),
    /** Rollbacks that others ask for. */
    ROLLBACK(Name.ROLLBACK, 4),
    /** What could not be decided or given while the ledger was away. */
    COMPENSATION(Name.COMPENSATION, 4),
    /** What became of each deduction, for the order system. */
    OUTCOME(Name.OUTCOME, 4),
    /** What could not be read, unchanged. */
    DEAD_LETTER(Name.DEAD_LETTER, 1);

    /** The names as constants, for annotations and configuration. */
    public static final class Name {
        public static final String DEDUCT = "stock.deduct";
        public static final String ORDERED = "stock.ordered";
        public static final String ROLLBACK = "stock.rollback";
        public static final String COMPENSATION = "stock.compensation";
        public static final String OUTCOME = "stock.outcome";
        public static final String DEAD_LETTER = "stock.dead-letter";

        private Name() {}
    }

    private final String topicName;
    private final int partitions;

    Topic(String topicName, int partitions) {
        this.topicName = topicName;
        this.partitions = partitions;
    }

    public String topicName() {
        return topicName;
    }

    /** Partitions it is created with; an existing topic keeps what it has. */
    int partitions() {
        return partitions;
    }
}
