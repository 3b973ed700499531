import { loadMeterModel } from '../../../core-server/features/meter/meter-model.js';
import { fuseReadings } from '../../../core-server/features/meter/photos/fuse-readings.js';
import type { ReaderRules } from '../../../core-server/features/meter/reader-rules.js';
import { loadManifest } from '../../../core-server/inference/models/manifest.js';
import { hashOf, type MeterPhoto } from './meter-data.js';
import { judge, type Judged } from './meter-metrics.js';
import { photographAgain } from './photograph-again.js';
import { type MeterRun, readServed } from './served-meter-reader.js';

/** Photos of one meter at one reading, each as read alone. */
export type SeriesRun = readonly MeterRun[];

/** Reads series of photos. @param pictureOf of a photo and its place among those of all series */
export async function readSeries(
  series: readonly (readonly MeterPhoto[])[],
  manifestUrl: URL,
  pictureOf?: (photo: MeterPhoto, index: number) => Promise<Buffer>,
): Promise<{ readonly runs: SeriesRun[]; readonly rules: ReaderRules }> {
  const { rules } = await loadMeterModel(await loadManifest(manifestUrl), manifestUrl);
  const all = await readServed(series.flat(), manifestUrl, undefined, pictureOf);
  return { runs: series.map(({ length }) => all.splice(0, length)), rules };
}

/** Simulated photos of the meter in each photo. */
export function readSimulated(photos: readonly MeterPhoto[], shots: number, manifestUrl: URL) {
  const series = photos.map((photo) => Array.from({ length: shots }, () => photo));
  return readSeries(series, manifestUrl, ({ path, counter = null }, index) =>
    photographAgain(path, counter, hashOf(`${path.split('/').at(-1)} ${index % shots}`)),
  );
}

/** What becomes of series: each photo alone, the one read with the most confidence, and all of them fused. */
export function judgeSeries(runs: readonly SeriesRun[], rules: ReaderRules) {
  const surest = runs.map((photos) => photos.reduce((a, b) => (b.confidence > a.confidence ? b : a)));
  return { alone: runs.flat(), surest, fused: runs.map((run) => judgeFused(run, rules)) };
}

/** The same with a photo of the next meter in each series, which no `ok` may come from unless it is right for most. */
export function judgeMixed(runs: readonly SeriesRun[], rules: ReaderRules): Judged[] {
  return runs.map((run, at) => {
    const other = runs[(at + 1) % runs.length]?.[0];
    return judgeFused(other ? [...run.slice(1), other] : run, rules, run[0]?.photo.truth);
  });
}

function judgeFused(run: SeriesRun, rules: ReaderRules, truth = run[0]?.photo.truth ?? null): Judged {
  const read = run.flatMap(({ output }) => output.evidence ?? []);
  if (read.length === 0) return judge(null, truth);
  return judge(fuseReadings({ photos: read, checkBelow: rules.okConfidence, known: {} }, rules).reading, truth);
}
