import { workerData } from 'node:worker_threads';
import { putBehindMainThread } from '../runtime/node-patches/thread-priority.js';
import type { AnalysisTasks, AnalysisWorkerData } from './compose/analysis-models.js';
import { openFaceDetector } from './features/face/detector.js';
import { openMeterReader } from './features/meter/meter-reader.js';
import { fuseReadings } from './features/meter/photos/fuse-readings.js';
import { restrictLoaders } from './image/decode/restrict-loaders.js';
import { convertHeic } from './image/heic/convert-heic.js';
import { inspectPicture } from './image/inspect/inspect-picture.js';
import type { ImageFile, ImageLimits } from './image/picture.js';
import { type RunningJob, serveTasks } from './inference/pool/serve-tasks.js';

// The composition root of an analysis worker.

const { workers, ...models } = workerData as AnalysisWorkerData;
const manifestUrl = new URL(models.manifestUrl);

putBehindMainThread(process.pid);

await restrictLoaders();
const faceDetector = await openFaceDetector(models.face, manifestUrl);
const meterReader = await openMeterReader(models.meter, manifestUrl);

/** Share of the memory for reading print, which takes seconds: so that at most half of the workers do, rounded up. */
const printShare = 1 / Math.ceil(workers / 2);

/** The input with a JPEG in place of a HEIC. */
async function withoutHeic<T extends { image: ImageFile; limits: ImageLimits }>(input: T, job: RunningJob): Promise<T> {
  const { image, limits } = input;
  return image.type === 'heic' ? { ...input, image: await convertHeic(image, limits, job.signal) } : input;
}

const facesFor = ({ hasSpareCore }: RunningJob) => (hasSpareCore ? faceDetector.withHelp : faceDetector.usual);

serveTasks<AnalysisTasks>({
  // Inspects a file before all else, and here: what it contains must not cost the main thread, whose time is everyone's.
  weigh(input) {
    if (!('image' in input)) return 0;
    return Math.max(inspectPicture(input.image, input.limits), 'printed' in input && input.printed ? printShare : 0);
  },
  handlers: {
    detectFaces: async (input, job) => facesFor(job).detectFaces(await withoutHeic(input, job), job.signal),
    redactFaces: async (input, job) => facesFor(job).redactFaces(await withoutHeic(input, job), job.signal),
    readMeter: async (input, job) => meterReader.readMeter(await withoutHeic(input, job), job.signal),
    fuseReadings: (input) => Promise.resolve(fuseReadings(input, models.meter.rules)),
  },
  async release() {
    await Promise.all([faceDetector.release(), meterReader.release()]);
  },
});
