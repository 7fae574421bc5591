/**
 * What has no domain: problems (RFC 9457), strict JSON bodies, Kafka topics, the fence, the clock. Depends on no domain package.
 */
package io.penstock.platform;
