/**
 * Pings of a gRPC connection, by the core and by the TypeScript client while it has calls; the clients in
 * other languages have the same values. Without pings, neither side may ever notice that the other is gone.
 */
export const keepalive = { 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 10_000 };

/** Bytes of a gRPC message from or to the core: enough for a response with the crops of as many faces as it may have. */
export const maxMessageBytes = 64 * 2 ** 20;
