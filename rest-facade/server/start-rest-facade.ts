import type { Logger } from 'pino';
import { createFairBudget } from '../../runtime/limits/fair-budget.js';
import { parseTrustedProxies } from '../../runtime/net/addresses.js';
import { readIdentity } from '../../runtime/net/tls.js';
import { startMetricsServer } from '../../runtime/observe/metrics-server.js';
import { noTracing, type Tracing } from '../../runtime/observe/tracing.js';
import { closeInTurn, type Closer } from '../../runtime/process/close-in-turn.js';
import { readVersion } from '../../runtime/process/version.js';
import { type Config, isNumeric, requestLimitsOf, toTarget } from '../config.js';
import { createCoreClient } from '../core-client/core-client.js';
import { loadCoreTrust } from '../core-client/core-trust.js';
import { createDocument } from '../openapi/create-document.js';
import { createPages } from '../pages/create-pages.js';
import { loadRpcs } from '../protos.js';
import { createRoutes } from '../request/rules.js';
import { createApp } from './app.js';
import { startHttpServer } from './http-server.js';
import { createMetrics } from './metrics.js';

/** A core added behind a name is used within this time. */
const lookUpCoresEveryMs = 30_000;

/** A listening facade. */
export type RestFacade = Awaited<ReturnType<typeof startRestFacade>>;

/**
 * Starts the facade. The core need not be running yet: until it is, operations return 503.
 * Rejects if the port is taken or an option in the protos is invalid.
 */
export async function startRestFacade(deps: {
  config: Config;
  log: Logger;
  /** If absent, requests are not traced. Ended with the facade, also if the start fails. */
  tracing?: Tracing;
}) {
  const { config, log, tracing = noTracing } = deps;
  let isDraining = false;
  const closers: Closer[] = [() => tracing.close()];
  const close = async () => {
    isDraining = true;
    const now = () => performance.now();
    await closeInTurn(closers.splice(0).reverse(), config.REST_SHUTDOWN_GRACE_MS, now);
  };

  try {
    const rpcs = loadRpcs();
    const routes = createRoutes(rpcs);
    const { REST_CORE_ADDRESS: coreAddress } = config;
    const identity = await readIdentity('REST_TLS', config.REST_TLS_CERT, config.REST_TLS_KEY);
    const core = createCoreClient(
      toTarget(coreAddress),
      await loadCoreTrust(config),
      isNumeric(coreAddress) ? undefined : lookUpCoresEveryMs,
    );
    closers.push(() => core.close());
    const isTrustedProxy = parseTrustedProxies(config.REST_TRUSTED_PROXIES ?? '');
    const version = readVersion();
    const budget = createFairBudget(config.REST_MAX_BUFFERED_BYTES);
    const metrics = createMetrics({ version, bufferedBytes: () => budget.taken });
    const limits = requestLimitsOf(config);
    const pages = createPages({
      document: createDocument(routes, { version, limits }),
      core,
      isDraining: () => isDraining,
    });
    const app = createApp({
      routes,
      rpcs,
      pages,
      core,
      budget,
      metrics,
      tracing,
      limits,
      corsOrigins: config.REST_CORS_ORIGINS ?? [],
      isTrustedProxy,
      log,
      isTls: identity !== undefined,
      isDraining: () => isDraining,
    });
    const metricsServer =
      config.REST_METRICS_PORT === undefined
        ? undefined
        : await startMetricsServer({
            registry: metrics.registry,
            host: config.REST_METRICS_HOST,
            port: config.REST_METRICS_PORT,
            log,
          });
    closers.push(() => metricsServer?.close());
    const server = await startHttpServer(app, {
      host: config.REST_HOST,
      port: config.REST_PORT,
      identity,
      requestTimeoutMs: limits.requestTimeoutMs,
      isTrustedProxy,
      log,
    });
    closers.push((graceMs) => server.close(graceMs));
    let closing: Promise<void> | undefined;
    return {
      host: server.host,
      port: server.port,
      /** Undefined if metrics are off. */
      metricsPort: metricsServer?.port,
      /** Stops listening, lets requests in flight finish, and ends them after the configured grace period. */
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
