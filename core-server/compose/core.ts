import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { noTracing, type Tracing } from '../../runtime/observe/tracing.js';
import { closeInTurn, type Closer } from '../../runtime/process/close-in-turn.js';
import { countProcessors } from '../../runtime/process/count-processors.js';
import { readVersion } from '../../runtime/process/version.js';
import { limitPasswordChecks } from '../access/companies/password.js';
import { createAccess } from '../access/create-access.js';
import { createKnexScoreStore } from '../features/score-config/knex-store.js';
import { createWorkerPool, type WorkerPool } from '../inference/pool/worker-pool.js';
import { loadServerCredentials } from '../rpc/tls.js';
import { waitForDatabase } from '../store/database.js';
import { detectChanges } from '../store/row-cache.js';
import { type AnalysisTasks, loadAnalysisModels } from './analysis-models.js';
import type { CoreConfig } from './config.js';
import type { CoreParts } from './core-parts.js';
import { createMetrics } from './metrics.js';
import { type Ports, startPorts } from './ports.js';

const workerMainUrl = new URL('../worker-main.js', import.meta.url);

/** The core's settings, and where its files are. */
export interface CoreOptions {
  readonly config: CoreConfig;
  readonly log: Logger;
  /** If absent, calls are not traced. Ended with the core. */
  readonly tracing?: Tracing;
  /** `generated/descriptors.binpb`. */
  readonly descriptorSet: URL;
  /** `models/manifest.json`. */
  readonly manifestUrl: URL;
  /** Aborted if the core should stop while starting: it gives up, rejecting with the reason. */
  readonly stopping?: AbortSignal;
  /** Called when part of the core hangs in a way that only a new process can fix. */
  readonly onHung?: (() => void) | undefined;
  /** Module of the analysis workers, as a file URL; absent: `worker-main.js`. */
  readonly workerUrl?: URL | undefined;
}

/** A serving core. */
export interface RunningCore extends Omit<Ports, 'close'> {
  /** The store had never had an API key when the core started. */
  readonly isStoreNew: boolean;
  /** Reports NOT_SERVING, lets calls in flight finish within the grace period, ends the others, frees everything. */
  close(): Promise<void>;
}

/**
 * Wires the core and starts it; resolves when it serves.
 *
 * @throws ConfigError if a setting names something that does not exist; Error if the store cannot be opened, a
 * model cannot be loaded, or a port is taken.
 */
export async function startCore(options: CoreOptions): Promise<RunningCore> {
  const { config, log, descriptorSet, manifestUrl, onHung, stopping } = options;
  const { tracing = noTracing, workerUrl = workerMainUrl } = options;
  const monotonicMs = () => performance.now();
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each stream listens
  const closers: Closer[] = [() => tracing.close()];
  const close = async () => {
    closing.abort();
    await closeInTurn(closers.splice(0).reverse(), config.CORE_SHUTDOWN_GRACE_MS, monotonicMs);
  };

  try {
    const credentials = await loadServerCredentials(config);
    const models = await loadAnalysisModels(manifestUrl, config.CORE_FACE_MODEL);
    const metrics = createMetrics(readVersion());

    const common = { config, log, metrics, tracing, models, now: monotonicMs };

    const pool = startAnalysisPool(common, workerUrl, onHung);
    closers.push((graceMs) => pool.close({ graceMs }));

    // Meanwhile, the workers load their models.
    const place = { url: config.DATABASE_URL, dataDir: config.CORE_DATA_DIR };
    const db = await waitForDatabase(place, log, stopping);
    closers.push(() => db.destroy());
    await detectChanges(db);

    const access = createAccess(db, () => new Date(), {
      maxRunning: limitPasswordChecks(countProcessors(), config.UV_THREADPOOL_SIZE),
      maxWaiting: config.CORE_MAX_QUEUE,
    });
    const isStoreNew = !(await access.apiKeys.exist());
    await pool.ready();
    stopping?.throwIfAborted();
    const ports = await startPorts({
      ...common,
      ...access,
      pool,
      scores: createKnexScoreStore(db),
      credentials,
      descriptorSet,
      closing: closing.signal,
    });
    closers.push((graceMs) => ports.close(graceMs));
    return { ...ports, isStoreNew, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A worker that is busy with one picture for longer counts as stuck. */
const stuckAfterDeadlines = 2;

/** Starts the workers that analyse pictures; their jobs and queue are counted. */
function startAnalysisPool(
  core: Pick<CoreParts, 'config' | 'models' | 'metrics' | 'now' | 'log'>,
  workerUrl: URL,
  /** Called when a worker hangs in native code for good. */
  onHung: (() => void) | undefined,
): WorkerPool<AnalysisTasks> {
  const { config, models, metrics, now, log } = core;
  const pool = createWorkerPool<AnalysisTasks>({
    workerUrl,
    workerData: models,
    size: config.CORE_WORKERS,
    maxQueue: config.CORE_MAX_QUEUE,
    taskTimeoutMs: config.CORE_MAX_DEADLINE_MS * stuckAfterDeadlines,
    onHung,
    log,
    now,
    onStart: (task, waitedMs) => metrics.taskStarted(task, waitedMs / 1000),
  });
  metrics.watchPool(() => pool.stats);
  return pool;
}
