import { createWorkerPool, type WorkerPool } from '../inference/pool/worker-pool.js';
import type { AnalysisTasks } from './analysis-tasks.js';
import type { CoreParts } from './core-parts.js';

/** A worker that is busy with one picture for longer counts as stuck. */
const stuckAfterDeadlines = 2;

/** Starts the workers that analyse pictures; their jobs and queue are counted. */
export function startAnalysisPool(
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
