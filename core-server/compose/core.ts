import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { startMetricsServer } from '../../runtime/observe/metrics-server.js';
import { noTracing, type Tracing } from '../../runtime/observe/tracing.js';
import { closeInTurn, type Closer } from '../../runtime/process/close-in-turn.js';
import { countProcessors } from '../../runtime/process/count-processors.js';
import { limitPasswordChecks } from '../access/companies/password.js';
import { createAccess } from '../access/create-access.js';
import { createAdminKeyCheck } from '../access/keys/admin-key.js';
import { createKeyRateLimiter } from '../access/limits/rate-limit.js';
import { createWorkerPool } from '../inference/pool/worker-pool.js';
import { type RpcSettings, startGrpcServer } from '../rpc/grpc-server.js';
import { checkAdminKeys, checkApiKeys } from '../rpc/interceptors/check-keys.js';
import { observeCalls } from '../rpc/interceptors/observe-calls.js';
import { loadServerCredentials } from '../rpc/tls.js';
import { waitForDatabase } from '../store/database.js';
import { detectChanges } from '../store/row-cache.js';
import { type AnalysisTasks, type AnalysisWorkerData, loadAnalysisModels } from './analysis-models.js';
import type { CoreConfig } from './config.js';
import { createMetrics } from './metrics.js';
import { observePool } from './observe-pool.js';
import { createAdminService, createServices } from './services.js';

const workerMainUrl = new URL('../worker-main.js', import.meta.url);

/**
 * sharp makes a string of a picture's XMP, of two bytes for each: more than the heap of a worker ends the worker, and
 * 50 MB at once the process. Beside it, a worker needs up to 13 MB.
 */
const workerHeapMb = (maxPictureBytes: number): number => Math.max(32, 16 + 2 * Math.ceil(maxPictureBytes / 2 ** 20));

export interface CoreOptions {
  readonly config: CoreConfig;
  readonly log: Logger;
  /** If absent, calls are not traced. Ended with the core. */
  readonly tracing?: Tracing;
  /** Aborted if the core should stop while starting: it gives up, rejecting with the reason. */
  readonly stopping?: AbortSignal;
  /** Called when part of the core hangs in a way that only a new process can fix. */
  readonly onHung?: (() => void) | undefined;
  /** Module of the analysis workers, as a file URL; absent: `worker-main.js`. */
  readonly workerUrl?: URL | undefined;
}

/** A worker that is busy with one picture for longer counts as stuck. */
const stuckAfterDeadlines = 2;

/**
 * Wires the core and starts it; resolves when it serves.
 *
 * @throws ConfigError if a setting names a file that cannot be used; Error if the store cannot be opened, a model cannot
 * be loaded, or a port is taken.
 */
export async function startCore(options: CoreOptions) {
  const { config, log, onHung, stopping } = options;
  const { tracing = noTracing, workerUrl = workerMainUrl } = options;
  const maxDeadlineMs = config.CORE_MAX_DEADLINE_MS;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each long-lived call listens
  const closers: Closer[] = [() => tracing.close()];
  const close = async () => {
    closing.abort();
    await closeInTurn(closers, config.CORE_SHUTDOWN_GRACE_MS);
  };

  try {
    const credentials = await loadServerCredentials(config);
    const models = await loadAnalysisModels();
    const metrics = createMetrics();
    const { CORE_METRICS_HOST, CORE_METRICS_PORT } = config;
    const { registry } = metrics;
    const scraped = await startMetricsServer({ registry, host: CORE_METRICS_HOST, port: CORE_METRICS_PORT, log });
    closers.push(() => scraped.close());

    const pool = createWorkerPool<AnalysisTasks>({
      workerUrl,
      workerData: { ...models, workers: config.CORE_WORKERS } satisfies AnalysisWorkerData,
      size: config.CORE_WORKERS,
      maxQueue: config.CORE_MAX_QUEUE,
      taskTimeoutMs: maxDeadlineMs * stuckAfterDeadlines,
      heapMb: workerHeapMb(config.CORE_MAX_IMAGE_BYTES),
      onHung,
      log,
    });
    closers.push((graceMs) => pool.close(graceMs));
    metrics.watchPool(() => pool.stats);

    // Meanwhile, the workers load their models.
    const place = { url: config.DATABASE_URL, dataDir: config.CORE_DATA_DIR };
    const db = await waitForDatabase(place, log, stopping);
    closers.push(() => db.destroy());
    await detectChanges(db);

    const access = createAccess(db, {
      maxRunning: limitPasswordChecks(countProcessors(), config.UV_THREADPOOL_SIZE),
      maxWaiting: config.CORE_MAX_QUEUE,
    });
    const isStoreNew = (await access.apiKeys.list(1)).length === 0;
    await pool.ready();
    stopping?.throwIfAborted();

    const rpc: RpcSettings = {
      // A facade has one: both queues, and what is under way.
      maxCallsPerConnection: 2 * config.CORE_MAX_QUEUE + 100,
      credentials,
      observer: observeCalls({ metrics, tracing }),
      isTrustedProxy: config.CORE_TRUSTED_PROXIES,
      maxDeadlineMs,
      idleMs: config.CORE_STREAM_IDLE_MS,
      maxInFlight: config.CORE_WORKERS * 2,
      closing: closing.signal,
      log,
    };
    const observed = observePool({ pool, metrics, tracing, models });
    const services = createServices({ config, models, access, pool: observed }, rpc);
    const open: { close(graceMs: number): Promise<void> }[] = [];
    // Together: each has the whole grace period.
    closers.push((graceMs) => Promise.all(open.map((server) => server.close(graceMs))));
    const main = await startGrpcServer(rpc, {
      host: config.CORE_HOST,
      port: config.CORE_PORT,
      services,
      checkKey: checkApiKeys({
        services,
        authenticate: (apiKey, caller) => access.apiKeys.authenticate(apiKey, caller),
        consume: createKeyRateLimiter(config.CORE_RATE_LIMIT_PER_MINUTE),
        assertRoom: (keyId, deadline) => pool.assertRoom(keyId, Math.min(deadline - Date.now(), maxDeadlineMs)),
      }),
      maxPictureBytes: config.CORE_MAX_IMAGE_BYTES,
    });
    open.push(main);
    pool.watch((canWork) => main.setServing(canWork));
    let adminPort: number | undefined;
    if (config.CORE_ADMIN_KEY !== undefined) {
      const admin = await startGrpcServer(rpc, {
        host: config.CORE_ADMIN_HOST,
        port: config.CORE_ADMIN_PORT,
        services: [createAdminService(access, rpc)],
        checkKey: checkAdminKeys(createAdminKeyCheck(config.CORE_ADMIN_KEY)),
        maxPictureBytes: 0,
      });
      open.push(admin);
      adminPort = admin.port;
    }
    return {
      /** Of the services; those of AdminService and the metrics are undefined if these are off. */
      port: main.port,
      adminPort,
      metricsPort: scraped.port,
      /** The store had never had an API key when the core started. */
      isStoreNew,
      /** Reports NOT_SERVING, lets calls in flight finish within the grace period, ends the others, frees everything. */
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
