import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { Operation } from '../generated/imageanalysis/v1/admin.js';
import { loadAnalysisModels } from './analysis-models.js';
import { createApiKeys } from './access/api-keys.js';
import { createCompanies } from './access/companies.js';
import { createFailureLimiter } from './access/failure-limiter.js';
import { createAccessInterceptor, createAdminInterceptor } from './access/interceptor.js';
import { createKnexApiKeyStore } from './access/knex-api-key-store.js';
import { createKnexCompanyStore } from './access/knex-company-store.js';
import { createPasswordHasher } from './access/password.js';
import { createKeyRateLimiter } from './access/rate-limit.js';
import { isSameSecret } from './access/same-secret.js';
import { createWorkLimiter } from './access/work-limiter.js';
import { parseTrustedProxies } from './access/trusted-proxies.js';
import { createAdminHandlers } from './admin/service.js';
import type { CoreConfig } from './config.js';
import { waitForDatabase } from './db/wait-for-database.js';
import { createFaceDetectionHandlers } from './face/service.js';
import { startGrpcServer, type GrpcServer } from './grpc-server.js';
import { createWorkerPool } from './inference/pool.js';
import { createMeterReadingHandlers } from './meter/service.js';
import { createMetrics } from './observe/metrics.js';
import { createCallObserver } from './observe/call-observer.js';
import { startMetricsServer } from '../runtime/metrics-server.js';
import { observePool } from './observe/observe-pool.js';
import { noTracing, type Tracing } from '../runtime/tracing.js';
import { readVersion } from '../runtime/version.js';
import { createCompanyScoreReader } from './score-config/company-score.js';
import { createKnexScoreStore } from './score-config/knex-store.js';
import { resolveThreshold } from './score-config/resolve-threshold.js';
import { createScoreConfigHandlers } from './score-config/service.js';
import { createServices, createAdminService } from './services.js';
import { loadServerCredentials } from './tls.js';
import type { AnalysisTasks } from './worker-main.js';

/** What the core is to be, and where it finds its files. */
export interface CoreOptions {
  readonly config: CoreConfig;
  readonly log: Logger;
  /** Absent: calls are not traced. Ended with the core. */
  readonly tracing?: Tracing;
  /** `generated/descriptors.binpb`. */
  readonly descriptorSet: URL;
  /** `models/manifest.json`. */
  readonly manifestUrl: URL;
  /** Module of the analysis workers, as a file URL; absent: `worker-main.js`. */
  readonly workerUrl?: URL | undefined;
}

/** A core that serves. */
export interface RunningCore {
  /** Port of the services. */
  readonly port: number;
  /** Port of AdminService; undefined: it is off. */
  readonly adminPort: number | undefined;
  /** Port of the metrics; undefined: they are off. */
  readonly metricsPort: number | undefined;
  /** Says NOT_SERVING, lets running calls end within the grace time, ends the others, frees all. */
  close(): Promise<void>;
}

/** A worker that is busy with one picture for longer is taken to be stuck. */
const stuckAfterDeadlines = 2;

/**
 * Wires the core and starts it; resolves when it serves.
 *
 * @throws ConfigError when a setting names what there is not; Error when the store cannot be opened, a model cannot be loaded, or a port is taken.
 */
export async function startCore(options: CoreOptions): Promise<RunningCore> {
  const { config, log, descriptorSet, manifestUrl, tracing = noTracing } = options;
  const now = () => new Date();
  const monotonicMs = () => performance.now();
  const closers: (() => Promise<void>)[] = [() => tracing.close()];
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each stream listens
  const close = async () => {
    closing.abort();
    for (const closer of closers.splice(0).reverse()) await closer();
  };

  try {
    const serverCredentials = await loadServerCredentials(config);
    const models = await loadAnalysisModels(manifestUrl, config.CORE_FACE_MODEL);
    const defaultScore = config.CORE_DEFAULT_SCORE ?? models.face.entry.defaultScore;
    const checkBelow = config.CORE_METER_CHECK_BELOW ?? models.meter.rules.okConfidence;
    const limits = {
      maxBytes: config.CORE_MAX_IMAGE_BYTES,
      maxPixels: config.CORE_MAX_IMAGE_PIXELS,
      maxSide: config.CORE_MAX_IMAGE_SIDE,
    };

    const metrics = createMetrics(readVersion());
    const pool = createWorkerPool<AnalysisTasks>({
      workerUrl: options.workerUrl ?? new URL('./worker-main.js', import.meta.url),
      workerData: models,
      size: config.CORE_WORKERS,
      maxQueue: config.CORE_MAX_QUEUE,
      taskTimeoutMs: config.CORE_MAX_DEADLINE_MS * stuckAfterDeadlines,
      log,
      now: monotonicMs,
      onStart: (task, waitedMs) => metrics.taskStarted(task, waitedMs / 1000),
    });
    metrics.watchPool(() => pool.stats);
    const observedPool = observePool(pool, metrics, tracing);
    const graceMs = config.CORE_SHUTDOWN_GRACE_MS;
    closers.push(() => pool.close({ graceMs }));

    // The workers load their models meanwhile.
    const place = { url: config.DATABASE_URL, dataDir: config.CORE_DATA_DIR };
    const db = await waitForDatabase(place, log);
    closers.push(() => db.destroy());

    const apiKeys = createApiKeys({ store: createKnexApiKeyStore(db), now, randomBytes });
    const companies = createCompanies({
      store: createKnexCompanyStore(db),
      hasher: createPasswordHasher({ randomBytes }),
      // Half the cores: checking passwords must not starve pictures and the store of threads.
      limiter: createWorkLimiter({
        maxRunning: Math.max(1, Math.floor(availableParallelism() / 2)),
        maxWaiting: config.CORE_MAX_QUEUE,
      }),
      failures: createFailureLimiter(),
      now,
    });
    const rateLimiter = createKeyRateLimiter({
      requestsPerMinute: config.CORE_RATE_LIMIT_PER_MINUTE,
    });
    const scores = createKnexScoreStore(db);
    const companyScore = createCompanyScoreReader(scores);

    const handlers = {
      face: createFaceDetectionHandlers({
        pool: observedPool,
        limits,
        resolveThreshold: async ({ minScore, company }) =>
          resolveThreshold({
            request: minScore,
            // Read even when the request has its own score: a misspelt company is never silent.
            company: company === '' ? undefined : await companyScore(company),
            default: defaultScore,
          }),
      }),
      scoreConfig: createScoreConfigHandlers({
        scores,
        authenticateCompany: (credentials) => companies.authenticate(credentials),
        defaultScore,
      }),
      meter: createMeterReadingHandlers({
        pool: observedPool,
        limits,
        checkBelow,
      }),
    };
    const settings = {
      log,
      now: monotonicMs,
      maxDeadlineMs: config.CORE_MAX_DEADLINE_MS,
      isTrustedProxy: parseTrustedProxies(config.CORE_TRUSTED_PROXIES),
      idleMs: config.CORE_STREAM_IDLE_MS,
      maxInFlight: config.CORE_WORKERS * 2,
      closing: closing.signal,
    };

    const observer = createCallObserver({ metrics, tracing, now: monotonicMs });

    await pool.ready();
    const servers: GrpcServer[] = [];
    // Together: each says NOT_SERVING at once.
    closers.push(async () => void (await Promise.all(servers.map((server) => server.close()))));
    const server = await startGrpcServer({
      host: config.CORE_HOST,
      port: config.CORE_PORT,
      services: createServices(handlers, settings),
      interceptor: createAccessInterceptor({
        authenticate: (key) => apiKeys.authenticate(key),
        consume: (keyId) => rateLimiter.consume(keyId),
        assertRoom({ operation, keyId, deadline }) {
          if (operation === Operation.SCORE_CONFIG) return;
          const timeLeftMs = Math.min(deadline - Date.now(), config.CORE_MAX_DEADLINE_MS);
          pool.assertRoom({ owner: keyId, timeLeftMs });
        },
        log,
      }),
      observer,
      credentials: serverCredentials,
      descriptorSet,
      maxMessageBytes: config.CORE_MAX_IMAGE_BYTES,
      maxReceiveMs: config.CORE_MAX_DEADLINE_MS,
      graceMs,
    });
    servers.push(server);

    const adminKey = config.CORE_ADMIN_KEY;
    const admin =
      adminKey === undefined
        ? undefined
        : await startGrpcServer({
            host: config.CORE_HOST,
            port: config.CORE_ADMIN_PORT,
            services: createAdminService(
              createAdminHandlers({ apiKeys, companies, now }),
              settings,
            ),
            interceptor: createAdminInterceptor((sent) => isSameSecret(sent, adminKey), log),
            observer,
            credentials: serverCredentials,
            descriptorSet,
            maxMessageBytes: 0,
            maxReceiveMs: config.CORE_MAX_DEADLINE_MS,
            graceMs,
          });
    if (admin) servers.push(admin);

    const metricsServer =
      config.CORE_METRICS_PORT === undefined
        ? undefined
        : await startMetricsServer({
            registry: metrics.registry,
            host: config.CORE_METRICS_HOST,
            port: config.CORE_METRICS_PORT,
          });
    if (metricsServer) closers.push(() => metricsServer.close());

    const { port } = server;
    return { port, adminPort: admin?.port, metricsPort: metricsServer?.port, close };
  } catch (error) {
    await close();
    throw error;
  }
}
