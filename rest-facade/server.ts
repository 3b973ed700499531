import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createFairBudget } from '../runtime/fair-budget.js';
import { limitConnections } from '../runtime/limit-connections.js';
import { type MetricsServer, startMetricsServer } from '../runtime/metrics-server.js';
import { openConnections } from '../runtime/open-connections.js';
import { noTracing, type Tracing } from '../runtime/tracing.js';
import { parseTrustedProxies } from '../runtime/trusted-proxies.js';
import { readVersion } from '../runtime/version.js';
import { createApp } from './app.js';
import { beginInTurns, type Handle } from './begin-in-turns.js';
import { type Config, isNumeric, largestBodyBytes, toTarget } from './config.js';
import { createCoreClient } from './core-client.js';
import { limitPipelining } from './limit-pipelining.js';
import { answerMalformed, maxHeaderBytes } from './malformed.js';
import { createMetrics } from './observe/metrics.js';
import { createDocument } from './openapi/create-document.js';
import { createPages } from './pages/create-pages.js';
import { loadStaticFiles } from './pages/static-files.js';
import { loadRpcs } from './protos.js';
import { createThrottle } from './throttle.js';
import { type Identity, loadCoreTrust, loadIdentity } from './tls.js';
import { createRoutes } from './transcode/rules.js';

/** A core added behind a name is used within this time. */
const lookUpCoresEveryMs = 30_000;

/** A listening facade. */
export interface RestFacade {
  readonly host: string;
  readonly port: number;
  /** Port of the metrics; undefined if they are off. */
  readonly metricsPort: number | undefined;
  /** Stops listening, lets requests in flight finish, and ends them after the configured grace period. */
  close(): Promise<void>;
}

/**
 * Starts the facade. The core need not be running yet: until it is, operations return 503.
 * Rejects if the port is taken or an option in the protos is invalid.
 */
export async function startRestFacade(deps: {
  config: Config;
  log: Logger;
  /** If absent, requests are not traced. Ended with the facade. */
  tracing?: Tracing;
}): Promise<RestFacade> {
  const { config, log, tracing = noTracing } = deps;
  const routes = createRoutes(loadRpcs());
  const { REST_CORE_ADDRESS: coreAddress } = config;
  const identity = await loadIdentity(config, 'REST_TLS');
  const core = createCoreClient(
    toTarget(coreAddress),
    await loadCoreTrust(config),
    isNumeric(coreAddress) ? undefined : lookUpCoresEveryMs,
  );
  let isDraining = false;
  const isTrustedProxy = parseTrustedProxies(config.REST_TRUSTED_PROXIES ?? '');
  const version = readVersion();
  const budget = createFairBudget(config.REST_MAX_BUFFERED_BYTES);
  const metrics = createMetrics({ version, bufferedBytes: () => budget.taken });
  const limits = {
    maxImageBytes: config.REST_MAX_IMAGE_BYTES,
    maxBodyBytes: largestBodyBytes(config),
    maxFormFields: config.REST_MAX_FORM_FIELDS,
    maxFieldBytes: config.REST_MAX_FIELD_BYTES,
    requestTimeoutMs: config.REST_REQUEST_TIMEOUT_MS,
  };
  const pages = createPages({
    document: createDocument(routes, { version, ...limits }),
    files: loadStaticFiles(),
    core,
    isDraining: () => isDraining,
  });
  const app = createApp({
    routes,
    pages,
    core,
    budget,
    throttle: createThrottle({ now: () => performance.now() }),
    metrics,
    tracing,
    ...limits,
    corsOrigins: config.REST_CORS_ORIGINS ?? [],
    isTrustedProxy,
    log,
    isTls: identity !== undefined,
    isDraining: () => isDraining,
  });
  const server = createHttpServer(config, log, app, identity);
  limitConnections(server, { isExempt: isTrustedProxy, log });
  const connections = openConnections(server);
  let metricsServer: MetricsServer | undefined;
  try {
    if (config.REST_METRICS_PORT !== undefined)
      metricsServer = await startMetricsServer({
        registry: metrics.registry,
        host: config.REST_METRICS_HOST,
        port: config.REST_METRICS_PORT,
      });
    server.listen(config.REST_PORT, config.REST_HOST);
    await once(server, 'listening');
  } catch (error) {
    await metricsServer?.close();
    core.close();
    throw error;
  }
  const { address, port } = server.address() as AddressInfo;

  const close = async () => {
    isDraining = true;
    const closed = new Promise((resolve) => server.close(resolve));
    const force = setTimeout(() => {
      log.warn('requests under way are ended');
      for (const connection of connections) connection.destroy();
    }, config.REST_SHUTDOWN_GRACE_MS);
    // A connection that was busy when the server closed stays open, idle, after its response is sent.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    clearTimeout(force);
    clearInterval(sweep);
    await metricsServer?.close();
    await tracing.close();
    core.close();
  };
  let closing: Promise<void> | undefined;
  return {
    host: address,
    port,
    metricsPort: metricsServer?.port,
    close: () => (closing ??= close()),
  };
}

/** Timeouts for slow clients: headers, whole request, unread response, idle connection. */
function createHttpServer(
  config: Config,
  log: Logger,
  app: Handle,
  identity: Identity | undefined,
): Server {
  const { REST_REQUEST_TIMEOUT_MS: requestTimeoutMs } = config;
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
  answerMalformed(server, log);
  return server;
}
