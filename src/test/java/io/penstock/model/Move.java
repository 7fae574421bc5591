package io.penstock.model;

/**
 * A transfer id as a bucket's book names it: a part of the sale's transfer, there or back. The book keeps two bits an id: not seen, or
 * seen with 0 units or with 1.
 */
record Move(int part, boolean back) {

    /** Units recorded for this id, -1 if the book does not know it. */
    int recorded(int moves) {
        return (moves >> shift() & 3) - 1;
    }

    int record(int moves, int units) {
        return moves | units + 1 << shift();
    }

    private int shift() {
        return 4 * part + (back ? 2 : 0);
    }
}
