import { readFile } from 'node:fs/promises';
import type { KnownMeter } from '../../../core-server/features/meter/known-meter.js';
import { loadMeterModel } from '../../../core-server/features/meter/meter-model.js';
import { openMeterReader } from '../../../core-server/features/meter/meter-reader.js';
import type { ReadMeterOutput } from '../../../core-server/features/meter/task.js';
import { restrictLoaders } from '../../../core-server/image/decode/restrict-loaders.js';
import { loadManifest } from '../../../core-server/inference/models/manifest.js';
import { imageFile } from '../../helpers/pictures/image-file.js';
import { cpuClock } from '../cpu-clock.js';
import type { MeterPhoto } from './meter-data.js';
import { judge, type Judged } from './meter-metrics.js';

const limits = { maxBytes: Infinity, maxPixels: Infinity, maxSide: Infinity };

/** A photo with its answer. */
export interface MeterRun extends Judged {
  readonly photo: MeterPhoto;
  readonly output: ReadMeterOutput;
}

/** Reads photos, in this thread, by the code and the models that a worker runs. */
export async function readServed(
  photos: readonly MeterPhoto[],
  manifestUrl: URL,
  knownOf: (photo: MeterPhoto) => KnownMeter = () => ({}),
  pictureOf: (photo: MeterPhoto, index: number) => Promise<Buffer> = ({ path }) => readFile(path),
): Promise<MeterRun[]> {
  await restrictLoaders();
  const model = await loadMeterModel(await loadManifest(manifestUrl), manifestUrl);
  const reader = await openMeterReader(model, manifestUrl, cpuClock);
  const { okConfidence: checkBelow } = model.rules;
  const { signal } = new AbortController();
  const runs: MeterRun[] = [];
  for (const [index, photo] of photos.entries()) {
    const image = imageFile(await pictureOf(photo, index));
    const input = { image, checkBelow, limits, known: knownOf(photo), printed: false, evidence: true };
    const output = await reader.readMeter(input, signal);
    runs.push({ photo, output, ...judge(output.reading, photo.truth) });
  }
  await reader.release();
  return runs;
}

/** CPU milliseconds in the networks of a run. */
export function networkMs({ output: { timings } }: MeterRun): number {
  return ['locate', 'refine', 'read', 'mark'].reduce((sum, step) => sum + (timings[step] ?? 0), 0);
}
