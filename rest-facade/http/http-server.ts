import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { limitConnections } from '../../runtime/limits/limit-connections.js';
import { openConnections } from '../../runtime/limits/open-connections.js';
import type { Identity } from '../../runtime/net/tls.js';
import type { IsTrustedProxy } from '../../runtime/net/trusted-proxies.js';
import { beginInTurns, type Handle } from './begin-in-turns.js';
import { limitPipelining } from './limit-pipelining.js';
import { answerMalformed, maxHeaderBytes } from './malformed.js';

/** A listening HTTP server. */
export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Stops listening, lets requests in flight finish, and ends them after the grace period. */
  close(graceMs: number): Promise<void>;
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** For TLS. */
  readonly identity: Identity | undefined;
  readonly requestTimeoutMs: number;
  /** Whose connections are not limited. */
  readonly isTrustedProxy: IsTrustedProxy;
  readonly log: Logger;
}

/**
 * Serves an application over HTTP, or HTTPS.
 * @throws Error if the port is taken
 */
export async function startHttpServer(
  app: Handle,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { host, port, isTrustedProxy, log } = options;
  const server = createHttpServer(app, options);
  limitConnections(server, { isExempt: isTrustedProxy, log });
  const connections = openConnections(server);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    host: address.address,
    port: address.port,
    async close(graceMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      const force = setTimeout(() => {
        log.warn('requests under way are ended');
        for (const connection of connections) connection.destroy();
      }, graceMs);
      // A connection that was busy when the server closed stays open, idle, after its response is sent.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearTimeout(force);
      clearInterval(sweep);
    },
  };
}

/** Timeouts for slow clients: headers, whole request, unread response, idle connection. */
function createHttpServer(
  app: Handle,
  { identity, requestTimeoutMs, log }: HttpServerOptions,
): Server {
  const options: ServerOptions = {
    headersTimeout: Math.min(10_000, requestTimeoutMs),
    // The request's own deadline comes first and responds in JSON; this is the safety net.
    requestTimeout: requestTimeoutMs + 5_000,
    // Longer than the usual minute of load balancers, which must be the ones to close.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: maxHeaderBytes,
    // The application refuses requests without it, in JSON.
    requireHostHeader: false,
  };
  const handle = limitPipelining(beginInTurns(app));
  const server = identity
    ? createSecureServer(
        { ...options, ...identity, handshakeTimeout: options.headersTimeout },
        handle,
      )
    : createServer(options, handle);
  server.timeout = requestTimeoutMs + 10_000;
  // "100 Continue" is sent when the body is wanted, not before the checks; other expectations are ignored.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  answerMalformed(server, log, identity !== undefined);
  return server;
}
