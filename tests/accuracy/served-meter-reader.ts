import { readFile } from 'node:fs/promises';
import { restrictLoaders } from '../../core-server/image/restrict-loaders.js';
import { loadManifest } from '../../core-server/inference/manifest.js';
import { defaultCheckBelow } from '../../core-server/meter/check-below.js';
import { openMeterReader } from '../../core-server/meter/open-meter-reader.js';
import type { ReadMeterOutput } from '../../core-server/meter/reader.js';
import type { MeterPhoto } from './meter-data.js';
import { type Judged, judge } from './meter-metrics.js';

const limits = { maxBytes: Infinity, maxPixels: Infinity, maxSide: Infinity };

/** A photo with its answer. */
export interface MeterRun extends Judged {
  readonly photo: MeterPhoto;
  readonly output: ReadMeterOutput;
}

/** Reads photos, in this thread, by the code and the models that a worker runs. */
export async function readServed(
  photos: readonly MeterPhoto[],
  wish: { ocrFallback: boolean; manifestUrl?: URL },
): Promise<MeterRun[]> {
  await restrictLoaders();
  const { manifestUrl = new URL('../../../models/manifest.json', import.meta.url) } = wish;
  const manifest = await loadManifest(manifestUrl);
  const reader = await openMeterReader({ manifest, manifestUrl, ocrFallback: wish.ocrFallback });
  const checkBelow = await defaultCheckBelow(manifest, manifestUrl);
  const { signal } = new AbortController();
  const runs: MeterRun[] = [];
  for (const photo of photos) {
    const image = await readFile(photo.path);
    const output = await reader.readMeter({ image, checkBelow, limits }, signal);
    runs.push({ photo, output, ...judge(output.reading, photo.truth) });
  }
  await reader.release();
  return runs;
}
