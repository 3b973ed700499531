import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { parseNoMore } from '../node-patches/end-without-parsing.js';
import { createSymbolProperty } from '../node-patches/symbol-property.js';
import type { Identity } from './tls.js';

/**
 * An HTTP server, with timeouts for slow clients: headers, whole request, unread response, idle connection.
 * `handle` gets requests with `Expect` too, and says itself when the body is wanted.
 */
export function createHttpServer(
  handle: RequestListener,
  {
    requestTimeoutMs,
    identity,
    ...own
  }: ServerOptions & { readonly requestTimeoutMs: number; readonly identity?: Identity | undefined },
): Server {
  const options: ServerOptions = {
    ...own,
    headersTimeout: Math.min(10_000, requestTimeoutMs),
    // A handler with a deadline of its own comes first; this is the safety net.
    requestTimeout: requestTimeoutMs + 5_000,
    // Longer than the usual minute of load balancers and scrapers, which must be the ones to close.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
    // Node.js would refuse requests without it before `handle`, however many, and without a body.
    requireHostHeader: false,
  };
  const server = identity
    ? createSecureServer({ ...options, ...identity, handshakeTimeout: options.headersTimeout })
    : createServer(options);
  const listener = endAfterLast(handle);
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, listener);
  server.timeout = requestTimeoutMs + 10_000;
  // All of them: by default Node.js hides those beyond 2,000, and with them what `isLast` looks for.
  server.maxHeadersCount = 0;
  return server;
}

const hasEnded = createSymbolProperty<Socket, true>();

/** Answers the last request whose bounds are certain, closes the connection, and ignores what follows. */
function endAfterLast(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    if (hasEnded.get(socket)) return;
    if (isLast(request)) {
      hasEnded.set(socket, true);
      parseNoMore(socket);
      response.setHeader('connection', 'close');
    }
    handle(request, response);
  };
}

/**
 * Whether it is uncertain where the next request begins.
 *
 * - `Upgrade`: Node.js's parser stops behind the request and drops what came with it, so that the rest, such as the
 *   body of a dropped request, would be taken for requests. The request itself is answered as without the header
 *   (RFC 9110, 7.8): Java's HttpClient and `curl --http2` send it with ordinary requests.
 * - `Transfer-Encoding` in HTTP/1.0: what forwarded it may not know chunks (RFC 9112, 6.1).
 */
function isLast({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined);
}
