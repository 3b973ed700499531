import { platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { FaceTasks } from './face/detector.js';
import { openFaceDetector } from './face/open-face-detector.js';
import { restrictLoaders } from './image/restrict-loaders.js';
import { loadManifest, modelFor } from './inference/manifest.js';
import { serveTasks } from './inference/pool-worker.js';
import { openMeterReader } from './meter/open-meter-reader.js';
import type { MeterTasks } from './meter/reader.js';

// The composition root of an analysis worker.

/** Everything that the workers can do. A feature adds its tasks here and its handler below. */
export type AnalysisTasks = FaceTasks & MeterTasks;

/** What the main thread tells a worker at its start. */
export interface AnalysisWorkerData {
  /** Address (file URL) of `models/manifest.json`. */
  readonly manifestUrl: string;
  /** Name of the face model; absent: the one that the manifest serves. */
  readonly faceModel?: string;
}

if (parentPort === null) throw new Error('This module runs in a worker thread only.');

const settings = workerData as AnalysisWorkerData;
const manifestUrl = new URL(settings.manifestUrl);
/** A nice value, which on Linux is the thread's own: calls are taken and answered before pictures. */
const behindTheMainThread = 5;
const now = (): number => performance.now();

if (platform() === 'linux') setPriority(behindTheMainThread);

await restrictLoaders();
const manifest = await loadManifest(manifestUrl);
const faceEntry = modelFor(manifest, 'face', settings.faceModel);
const faceDetector = await openFaceDetector(manifest, manifestUrl, faceEntry, { now });
const meterReader = await openMeterReader(manifest, manifestUrl);

serveTasks<AnalysisTasks>({
  port: parentPort,
  handlers: {
    detectFaces: (input, signal) => faceDetector.detectFaces(input, signal),
    readMeter: (input, signal) => meterReader.readMeter(input, signal),
  },
  async release() {
    await Promise.all([faceDetector.release(), meterReader.release()]);
  },
});
