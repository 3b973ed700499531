import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createFairBudget } from '../../runtime/limits/fair-budget.js';
import { isNumericTarget } from '../../runtime/net/grpc-target.js';
import { readIdentity } from '../../runtime/net/tls.js';
import { startMetricsServer } from '../../runtime/observe/metrics-server.js';
import { noTracing, type Tracing } from '../../runtime/observe/tracing.js';
import { closeInTurn, type Closer } from '../../runtime/process/close-in-turn.js';
import { adminApi, type Api, publicApi } from '../apis.js';
import { type Config, requestLimitsOf } from '../config.js';
import { type CoreClient, createCoreClient } from '../core-client/core-client.js';
import { loadCoreTrust } from '../core-client/core-trust.js';
import { createDocument } from '../openapi/create-document.js';
import { createPages } from '../pages/create-pages.js';
import { loadRpcs } from '../protos/rpcs.js';
import { createRoutes } from '../request/create-routes.js';
import { createApp } from './app.js';
import { type HttpServer, startHttpServer } from './http/http-server.js';
import { createMetrics } from './metrics.js';

/** A core added behind a name is used within this time; a cluster's DNS may keep its answers for 30 s more. */
const lookUpCoresEveryMs = 5_000;

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
  const close = () => closeInTurn(closers, config.REST_SHUTDOWN_GRACE_MS);

  try {
    const identity = await readIdentity(['REST_TLS_CERT', config.REST_TLS_CERT], ['REST_TLS_KEY', config.REST_TLS_KEY]);
    const trust = await loadCoreTrust(config);
    const budget = createFairBudget(config.REST_MAX_BUFFERED_BYTES);
    const metrics = createMetrics(() => budget.taken);
    const shared = {
      budget,
      metrics,
      tracing,
      limits: requestLimitsOf(config),
      isTrustedProxy: config.REST_TRUSTED_PROXIES ?? (() => false),
      log,
      isTls: identity !== undefined,
      isDraining: () => isDraining,
    };
    const cores: CoreClient[] = [];
    closers.push(() => cores.forEach((core) => core.close()));
    const { REST_METRICS_HOST, REST_METRICS_PORT } = config;
    const { registry } = metrics;
    const scraped = await startMetricsServer({ registry, host: REST_METRICS_HOST, port: REST_METRICS_PORT, log });
    closers.push(() => scraped.close());
    const servers: HttpServer[] = [];
    // Together, so that neither takes requests while the other waits for its last ones.
    closers.push((graceMs) => Promise.all(servers.map((server) => server.close(graceMs))));
    const serve = async (api: Api, coreAddress: string, host: string, port: number, corsOrigins: string[] = []) => {
      const core = createCoreClient(coreAddress, trust, isNumericTarget(coreAddress) ? undefined : lookUpCoresEveryMs);
      cores.push(core);
      const { isForBrowsers } = api;
      const all = loadRpcs(api.protoFiles);
      const routes = createRoutes(all);
      const document = createDocument(routes, shared.limits, api);
      const pages = createPages({ ...shared, core, document, isForBrowsers });
      const app = createApp({ ...shared, core, corsOrigins, routes, rpcs: isForBrowsers ? all : [], pages });
      const { requestTimeoutMs } = shared.limits;
      const server = await startHttpServer(app, { ...shared, host, port, identity, requestTimeoutMs });
      servers.push(server);
      return server;
    };
    const { REST_CORE_ADDRESS, REST_HOST, REST_PORT, REST_CORS_ORIGINS } = config;
    const server = await serve(publicApi, REST_CORE_ADDRESS, REST_HOST, REST_PORT, REST_CORS_ORIGINS);
    const { REST_CORE_ADMIN_ADDRESS, REST_ADMIN_HOST, REST_ADMIN_PORT } = config;
    const admin =
      REST_ADMIN_PORT === undefined
        ? undefined
        : await serve(adminApi, REST_CORE_ADMIN_ADDRESS, REST_ADMIN_HOST, REST_ADMIN_PORT);
    return {
      host: server.host,
      port: server.port,
      /** Those of the administration and of the metrics are undefined if these are off. */
      adminPort: admin?.port,
      metricsPort: scraped.port,
      /** Stops listening after the delay, lets requests in flight finish, and ends them after the grace period. */
      async close() {
        isDraining = true;
        if (config.REST_SHUTDOWN_DELAY_MS > 0) await sleep(config.REST_SHUTDOWN_DELAY_MS);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
