import { parseTrustedProxies } from '../../runtime/net/addresses.js';
import { startMetricsServer } from '../../runtime/observe/metrics-server.js';
import { createAdminKeyCheck } from '../access/keys/admin-key.js';
import { createKeyRateLimiter } from '../access/limits/rate-limit.js';
import { type RpcSettings, startGrpcServer } from '../rpc/grpc-server.js';
import { checkAdminKeys, checkApiKeys } from '../rpc/interceptors/check-keys.js';
import { observeCalls } from '../rpc/interceptors/observe-calls.js';
import type { CoreParts } from './core-parts.js';
import { createAdminService, createServices } from './services.js';

/** How to reach a core. */
export interface Ports {
  /** Port of the services. */
  readonly port: number;
  /** Port of AdminService; undefined if it is off. */
  readonly adminPort: number | undefined;
  /** Port of the metrics; undefined if they are off. */
  readonly metricsPort: number | undefined;
  /** Reports NOT_SERVING and lets calls in flight finish within the grace period. */
  close(graceMs: number): Promise<void>;
}

/**
 * Opens the ports that the settings ask for.
 *
 * @throws Error if one cannot be opened; none is open then
 */
export async function startPorts(core: CoreParts): Promise<Ports> {
  const { config, pool, metrics, tracing, now, log, apiKeys, credentials, descriptorSet } = core;
  const maxDeadlineMs = config.CORE_MAX_DEADLINE_MS;
  const adminKey = config.CORE_ADMIN_KEY;
  const settings: RpcSettings = {
    host: config.CORE_HOST,
    credentials,
    descriptorSet,
    observer: observeCalls({ metrics, tracing, now }),
    isTrustedProxy: parseTrustedProxies(config.CORE_TRUSTED_PROXIES),
    maxDeadlineMs,
    idleMs: config.CORE_STREAM_IDLE_MS,
    maxInFlight: config.CORE_WORKERS * 2,
    closing: core.closing,
    now,
    log,
  };
  const services = createServices(core, settings);

  const open: Pick<Ports, 'close'>[] = [];
  // Together, so that each reports NOT_SERVING at once.
  const close = async (graceMs: number) => void (await Promise.all(open.map((server) => server.close(graceMs))));
  const opened = async <Server extends Pick<Ports, 'close'>>(starting: Promise<Server>) => {
    const server = await starting;
    open.push(server);
    return server;
  };
  try {
    const main = await opened(
      startGrpcServer(settings, {
        port: config.CORE_PORT,
        services,
        interceptor: checkApiKeys({
          services,
          authenticate: (apiKey) => apiKeys.authenticate(apiKey),
          consume: createKeyRateLimiter(config.CORE_RATE_LIMIT_PER_MINUTE),
          assertRoom({ keyId, deadline }) {
            const timeLeftMs = Math.min(deadline - Date.now(), maxDeadlineMs);
            pool.assertRoom(keyId, timeLeftMs);
          },
          log,
        }),
        maxPictureBytes: config.CORE_MAX_IMAGE_BYTES,
      }),
    );
    pool.watch((canWork) => main.setServing(canWork));
    const admin =
      adminKey === undefined
        ? undefined
        : await opened(
            startGrpcServer(settings, {
              port: config.CORE_ADMIN_PORT,
              services: createAdminService(core, settings),
              interceptor: checkAdminKeys(createAdminKeyCheck(adminKey), log),
              maxPictureBytes: 0,
            }),
          );
    const metricsServer =
      config.CORE_METRICS_PORT === undefined
        ? undefined
        : await opened(
            startMetricsServer({
              registry: metrics.registry,
              host: config.CORE_METRICS_HOST,
              port: config.CORE_METRICS_PORT,
              log,
            }),
          );
    return { port: main.port, adminPort: admin?.port, metricsPort: metricsServer?.port, close };
  } catch (error) {
    await close(0);
    throw error;
  }
}
