import type { Logger } from 'pino';
import { createWorkerPool, type WorkerPool } from '../inference/pool/worker-pool.js';
import type { AnalysisModels } from './analysis-models.js';
import type { AnalysisTasks } from './analysis-tasks.js';
import type { CoreConfig } from './config.js';
import type { Metrics } from './metrics.js';

/** A worker that is busy with one picture for longer counts as stuck. */
const stuckAfterDeadlines = 2;

/** Starts the workers that analyse pictures; their jobs and queue are counted. */
export function startAnalysisPool(deps: {
  readonly config: CoreConfig;
  readonly models: AnalysisModels;
  /** Absent: `worker-main.js`. */
  readonly workerUrl: URL | undefined;
  /** Called when a worker hangs in native code for good. */
  readonly onHung: (() => void) | undefined;
  readonly metrics: Metrics;
  readonly now: () => number;
  readonly log: Logger;
}): WorkerPool<AnalysisTasks> {
  const { config, models, workerUrl, onHung, metrics, now, log } = deps;
  const pool = createWorkerPool<AnalysisTasks>({
    workerUrl: workerUrl ?? new URL('../worker-main.js', import.meta.url),
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
