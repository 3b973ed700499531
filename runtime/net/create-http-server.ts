import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Identity } from './tls.js';

/** An HTTP server, with timeouts for slow clients: headers, whole request, unread response, idle connection. */
export function createHttpServer(
  handle: RequestListener,
  {
    requestTimeoutMs,
    identity,
    ...own
  }: ServerOptions & {
    readonly requestTimeoutMs: number;
    /** For TLS. */
    readonly identity?: Identity | undefined;
  },
): Server {
  const options: ServerOptions = {
    ...own,
    headersTimeout: Math.min(10_000, requestTimeoutMs),
    // A handler with a deadline of its own comes first; this is the safety net.
    requestTimeout: requestTimeoutMs + 5_000,
    // Longer than the usual minute of load balancers and scrapers, which must be the ones to close.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
  };
  const server = identity
    ? createSecureServer(
        { ...options, ...identity, handshakeTimeout: options.headersTimeout },
        handle,
      )
    : createServer(options, handle);
  server.timeout = requestTimeoutMs + 10_000;
  return server;
}
