import { readFile } from 'node:fs/promises';
import { loadMeterModel } from '../../../core-server/features/meter/meter-model.js';
import { openMeterReader } from '../../../core-server/features/meter/meter-reader.js';
import { fuseReadings } from '../../../core-server/features/meter/photos/fuse-readings.js';
import type { ReaderRules } from '../../../core-server/features/meter/reader-rules.js';
import type { ReadMeterOutput } from '../../../core-server/features/meter/task.js';
import { loadManifest } from '../../../core-server/inference/models/manifest.js';
import { imageFile } from '../../helpers/pictures/image-file.js';
import { cpuClock } from '../cpu-clock.js';
import { hashOf, type MeterPhoto, type MeterTruth } from './meter-data.js';
import { judge, type Judged } from './meter-metrics.js';
import { photographAgain } from './photograph-again.js';

/** Photos of one meter at one reading, each as read alone. */
export interface SeriesRun {
  readonly truth: MeterTruth | null;
  readonly outputs: readonly ReadMeterOutput[];
}

/** Reads series of photos, in this thread, by the code and the models that a worker runs. */
export async function readSeries(
  series: readonly (readonly MeterPhoto[])[],
  manifestUrl: URL,
  pictureOf: (photo: MeterPhoto, at: number) => Promise<Buffer> = ({ path }) => readFile(path),
): Promise<{ readonly runs: SeriesRun[]; readonly rules: ReaderRules }> {
  const { rules, ...model } = await loadMeterModel(await loadManifest(manifestUrl), manifestUrl);
  const reader = await openMeterReader({ ...model, rules }, manifestUrl, cpuClock);
  const { signal } = new AbortController();
  const limits = { maxBytes: Infinity, maxPixels: Infinity, maxSide: Infinity };
  const runs: SeriesRun[] = [];
  for (const photos of series) {
    const outputs: ReadMeterOutput[] = [];
    for (const [at, photo] of photos.entries()) {
      const image = imageFile(await pictureOf(photo, at));
      const input = { image, checkBelow: rules.okConfidence, limits, known: {}, printed: false, evidence: true };
      outputs.push(await reader.readMeter(input, signal));
    }
    runs.push({ truth: photos[0]?.truth ?? null, outputs });
  }
  await reader.release();
  return { runs, rules };
}

/** Simulated photos of the meter in each photo. */
export function readSimulated(photos: readonly MeterPhoto[], shots: number, manifestUrl: URL) {
  const series = photos.map((photo) => Array.from({ length: shots }, () => photo));
  return readSeries(series, manifestUrl, ({ path, counter = null }, at) =>
    photographAgain(path, counter, hashOf(`${path.split('/').at(-1)} ${at}`)),
  );
}

/** What becomes of series: each photo alone, the one read with the most confidence, and all of them fused. */
export function judgeSeries(runs: readonly SeriesRun[], rules: ReaderRules) {
  const alone = runs.map(({ outputs, truth }) => outputs.map(({ reading }) => judge(reading, truth)));
  const surest = alone.map((photos) => photos.reduce((a, b) => (b.confidence > a.confidence ? b : a)));
  return { alone: alone.flat(), surest, fused: runs.map((run) => judgeFused(run, rules)) };
}

/** The same with a photo of the next meter in each series, which no `ok` may come from unless it is right for most. */
export function judgeMixed(runs: readonly SeriesRun[], rules: ReaderRules): Judged[] {
  return runs.map(({ outputs, truth }, at) => {
    const other = runs[(at + 1) % runs.length]?.outputs[0];
    return judgeFused({ truth, outputs: other ? [...outputs.slice(1), other] : outputs }, rules);
  });
}

function judgeFused({ outputs, truth }: SeriesRun, rules: ReaderRules): Judged {
  const read = outputs.flatMap(({ evidence }) => evidence ?? []);
  if (read.length === 0) return judge(null, truth);
  return judge(fuseReadings(read, { rules, checkBelow: rules.okConfidence, known: {} }).reading, truth);
}
