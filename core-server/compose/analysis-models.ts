import { servedFaceModel } from '../features/face/face-model.js';
import type { FaceTasks } from '../features/face/task.js';
import { loadMeterModel } from '../features/meter/meter-model.js';
import type { MeterTasks } from '../features/meter/task.js';
import { loadManifest, manifestUrl } from '../inference/models/manifest.js';

/** Everything that the workers can do. A feature adds its tasks here and their handlers in `worker-main.ts`. */
export type AnalysisTasks = FaceTasks & MeterTasks;

/** What the workers serve, read and checked once: checking needs a library that would cost each worker 13 MB. */
export type AnalysisModels = Awaited<ReturnType<typeof loadAnalysisModels>>;

/** What a worker starts with. */
export interface AnalysisWorkerData extends AnalysisModels {
  /** How many there are. */
  readonly workers: number;
}

/** Reads the manifest and the rules of its models. @throws Error that names every mistake */
export async function loadAnalysisModels() {
  const manifest = await loadManifest(manifestUrl);
  return {
    manifestUrl: manifestUrl.href,
    face: servedFaceModel(manifest),
    meter: await loadMeterModel(manifest, manifestUrl),
  };
}
