import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import type { Config } from './config.js';
import { createCoreClient } from './core-client.js';
import { loadRpcs } from './protos.js';
import { readVersion } from './version.js';
import { createDocument } from './openapi/create-document.js';
import { createPages } from './pages/create-pages.js';
import { loadStaticFiles } from './pages/static-files.js';
import { createRoutes } from './transcode/rules.js';
import { writeJson } from './transcode/json.js';
import { loadCoreTrust, loadIdentity, type Identity } from './tls.js';
import { createByteBudget } from './upload/byte-budget.js';

/** A facade that listens. */
export interface RestFacade {
  readonly host: string;
  readonly port: number;
  /** Stops listening, lets requests under way finish, ends them after the configured grace. */
  close(): Promise<void>;
}

/**
 * Starts the facade. The core need not be there yet: until it is, operations answer 503.
 * Rejects when the port is taken or an option in the protos is mistaken.
 */
export async function startRestFacade(deps: { config: Config; log: Logger }): Promise<RestFacade> {
  const { config, log } = deps;
  const routes = createRoutes(loadRpcs());
  const identity = config.tls && (await loadIdentity(config.tls, 'REST_TLS'));
  const core = createCoreClient(config.coreTarget, await loadCoreTrust(config.coreTls));
  let isDraining = false;
  const pages = createPages({
    document: createDocument(routes, { version: readVersion(), ...config }),
    files: loadStaticFiles(),
    core,
    isDraining: () => isDraining,
  });
  const app = createApp({
    routes,
    pages,
    core,
    budget: createByteBudget(config.maxBufferedBytes),
    maxImageBytes: config.maxImageBytes,
    maxBodyBytes: config.maxBodyBytes,
    requestTimeoutMs: config.requestTimeoutMs,
    log,
    isDraining: () => isDraining,
  });
  const server = createHttpServer(config, app, identity);
  try {
    server.listen(config.port, config.host);
    await once(server, 'listening');
  } catch (error) {
    core.close();
    throw error;
  }
  const { address, port } = server.address() as AddressInfo;

  const close = async () => {
    isDraining = true;
    const closed = new Promise((resolve) => server.close(resolve));
    const force = setTimeout(() => {
      log.warn('requests under way are ended');
      server.closeAllConnections();
    }, config.shutdownGraceMs);
    // A connection that was busy when the server closed stays open, idle, once its answer is out.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    clearTimeout(force);
    clearInterval(sweep);
    core.close();
  };
  let closing: Promise<void> | undefined;
  return { host: address, port, close: () => (closing ??= close()) };
}

const maxHeaderBytes = 16 * 1024;

/** Slow clients end at a time-out each: headers, whole request, answer not taken, idle connection. */
function createHttpServer(
  config: Config,
  app: ReturnType<typeof createApp>,
  identity: Identity | undefined,
): Server {
  const options: ServerOptions = {
    headersTimeout: Math.min(10_000, config.requestTimeoutMs),
    // The request's own deadline comes first and answers in JSON; this is the net below it.
    requestTimeout: config.requestTimeoutMs + 5_000,
    // Longer than the usual minute of load balancers, which must be the ones to hang up.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: maxHeaderBytes,
    requireHostHeader: false, // The application asks for it, and answers in JSON.
  };
  const answers = new WeakMap<Socket, ServerResponse>();
  const serve: RequestListener = (request, response) => {
    answers.set(request.socket, response);
    app(request, response);
  };
  const server = identity
    ? createSecureServer({ ...options, ...identity, handshakeTimeout: options.headersTimeout }, app)
    : createServer(options, serve);
  server.timeout = config.requestTimeoutMs + 10_000;
  // "100 Continue" is sent when the body is wanted, not before the checks.
  server.on('checkContinue', serve);
  // Any other expectation is no reason to refuse.
  server.on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const last = answers.get(socket);
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (last === undefined || !hasConnection(last)) socket.end(renderClientError(error.code));
    else if (last.writableFinished) socket.destroySoon();
    else last.once('finish', () => socket.destroySoon());
  });
  return server;
}

/**
 * Whether the connection is still, or for good, this answer's: then bytes that cannot be parsed end it
 * without an answer of their own, which would be taken for this one.
 */
function hasConnection(answer: ServerResponse): boolean {
  const { complete } = answer.req;
  return complete ? !answer.writableFinished || !answer.shouldKeepAlive : answer.headersSent;
}

/**
 * What is no HTTP request has no request id and never reaches the application. Only statuses of the
 * documented table, so that a client needs to know no others.
 */
function renderClientError(errorCode: string | undefined): string {
  const isLate = errorCode === 'ERR_HTTP_REQUEST_TIMEOUT';
  const [status, code, reason] = isLate
    ? [504, 'DEADLINE_EXCEEDED', 'DEADLINE']
    : [400, 'INVALID_ARGUMENT', 'INVALID_FIELD'];
  const message = isLate
    ? 'The request did not arrive in time.'
    : errorCode === 'HPE_HEADER_OVERFLOW'
      ? `The request line and headers are too long, want at most ${maxHeaderBytes} bytes.`
      : 'The bytes are no well-formed HTTP request.';
  const body = writeJson({ message, code, reason, request_id: '', details: {} });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
