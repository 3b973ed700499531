import { type AnalysisTasks, loadAnalysisModels } from '../../../core-server/compose/analysis-models.js';
import { createWorkerPool, type WorkerPool } from '../../../core-server/inference/pool/worker-pool.js';
import { eventually } from '../eventually.js';

/** The service's own workers, with the models that it serves, once they are ready. */
export async function startAnalysisPool(size = 1): Promise<WorkerPool<AnalysisTasks>> {
  const models = await loadAnalysisModels();
  const pool = createWorkerPool<AnalysisTasks>({
    workerUrl: new URL('../../../core-server/worker-main.js', import.meta.url),
    workerData: { ...models, workers: size },
    size,
    maxQueue: 64,
  });
  await eventually(() => pool.stats.workers === size);
  return pool;
}
