package io.penstock.model;

/**
 * What may still be begun: it keeps a sale finite.
 *
 * @param requests two bits a key
 * @param rollbacks two bits a key
 * @param background loads, calibrations and the like: unlimited once all else has stopped
 */
record Budget(
        int requests,
        int rollbacks,
        int faults,
        int trims,
        int toggles,
        int rereads,
        int replications,
        int background) {

    /** Clients, operators and faults stop; background work goes on. */
    static final Budget AT_REST = new Budget(0, 0, 0, 0, 0, 0, 0, Integer.MAX_VALUE);

    boolean requests(int key) {
        return (requests >> 2 * key & 3) > 0;
    }

    boolean rollbacks(int key) {
        return (rollbacks >> 2 * key & 3) > 0;
    }

    Budget request(int key) {
        return new Budget(
                requests - (1 << 2 * key), rollbacks, faults, trims, toggles, rereads, replications, background);
    }

    Budget rollback(int key) {
        return new Budget(
                requests, rollbacks - (1 << 2 * key), faults, trims, toggles, rereads, replications, background);
    }

    Budget fault() {
        return new Budget(requests, rollbacks, faults - 1, trims, toggles, rereads, replications, background);
    }

    Budget trim() {
        return new Budget(requests, rollbacks, faults, trims - 1, toggles, rereads, replications, background);
    }

    Budget toggle() {
        return new Budget(requests, rollbacks, faults, trims, toggles - 1, rereads, replications, background);
    }

    Budget reread() {
        return new Budget(requests, rollbacks, faults, trims, toggles, rereads - 1, replications, background);
    }

    Budget replication() {
        return new Budget(requests, rollbacks, faults, trims, toggles, rereads, replications - 1, background);
    }

    Budget work() {
        return background == Integer.MAX_VALUE || background == 0
                ? this
                : new Budget(requests, rollbacks, faults, trims, toggles, rereads, replications, background - 1);
    }
}
