/**
 * What operators use: export, health.
 */
package io.penstock.operations;
