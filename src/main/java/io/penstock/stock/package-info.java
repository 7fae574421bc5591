/**
 * The words of the domain: values that are checked once, when they are made, and cannot be wrong afterwards. No I/O, and
 * nothing of the other packages.
 *
 * <p>Sources of every limit and code: {@code docs} and the HTTP contract.
 */
package io.penstock.stock;
