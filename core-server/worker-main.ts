import { parentPort, workerData } from 'node:worker_threads';
import { putBehindMainThread } from '../runtime/node-patches/thread-priority.js';
import type { AnalysisModels } from './compose/analysis-models.js';
import type { AnalysisTasks } from './compose/analysis-tasks.js';
import { openFaceDetector } from './features/face/open-face-detector.js';
import { restrictLoaders } from './image/decode/restrict-loaders.js';
import { serveTasks } from './inference/pool/serve-tasks.js';
import { openMeterReader } from './meter/open-meter-reader.js';

// The composition root of an analysis worker.

if (parentPort === null) throw new Error('this module runs in a worker thread only');

const models = workerData as AnalysisModels;
const manifestUrl = new URL(models.manifestUrl);
const now = (): number => performance.now();

putBehindMainThread();

await restrictLoaders();
const faceDetector = await openFaceDetector(models.face, manifestUrl, now);
const meterReader = await openMeterReader(models.meter, manifestUrl, now);

serveTasks<AnalysisTasks>({
  port: parentPort,
  handlers: {
    detectFaces: (input, signal, hasSpareCore) =>
      faceDetector.detectFaces(input, signal, hasSpareCore),
    readMeter: (input, signal) => meterReader.readMeter(input, signal),
  },
  async release() {
    await Promise.all([faceDetector.release(), meterReader.release()]);
  },
});
