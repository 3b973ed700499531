import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { parseNoMore } from '../node-patches/end-without-parsing.js';
import { createSymbolProperty } from '../node-patches/symbol-property.js';
import type { Identity } from './tls.js';

/** What Apache takes; proxies add a dozen. 16 KiB may have 3,000, of which half a request would keep 150 KB. */
export const maxHeaders = 100;

/** Then some may be missing. */
export const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length > 2 * maxHeaders;

/**
 * An HTTP server, with timeouts for slow clients: headers, whole request, unread response, idle connection.
 * `handle` gets requests with `Expect` too, and says itself when the body is wanted. It is to refuse those that have too
 * many headers; they are the last of their connections.
 */
export function createHttpServer(
  handle: RequestListener,
  {
    requestTimeoutMs,
    identity,
    ...own
  }: ServerOptions & { readonly requestTimeoutMs: number; readonly identity?: Identity | undefined },
): Server {
  const headersTimeout = Math.min(10_000, requestTimeoutMs);
  const options: ServerOptions = {
    ...own,
    headersTimeout,
    // A handler's own deadline, which begins when the headers have come, is first; this is the safety net.
    requestTimeout: headersTimeout + requestTimeoutMs + 5_000,
    // Longer than the usual minute of load balancers and scrapers, which must be the ones to close.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
    // Node.js would refuse requests without it before `handle`, however many, and without a body.
    requireHostHeader: false,
  };
  const server = identity
    ? createSecureServer({ ...options, ...identity, handshakeTimeout: headersTimeout })
    : createServer(options);
  const listener = endAfterLast(handle);
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, listener);
  server.timeout = requestTimeoutMs + 10_000;
  // Node.js keeps no more; one more shows that there are.
  server.maxHeadersCount = maxHeaders + 1;
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
 * - Either may be among headers that were not kept.
 */
function isLast(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request;
  const isOldWithChunks = httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
  return headers.upgrade !== undefined || isOldWithChunks || hasTooManyHeaders(request);
}
