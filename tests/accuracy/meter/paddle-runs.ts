import { readFile } from 'node:fs/promises';
import type { LibraryTasks } from '../../../core-server/features/meter/printed/printed-reader.js';
import { decodeUpright } from '../../../core-server/image/decode/decode.js';
import { readHeader } from '../../../core-server/image/decode/open-picture.js';
import { scaledSize } from '../../../core-server/image/picture.js';
import { createWorkerPool } from '../../../core-server/inference/pool/worker-pool.js';
import { imageFile } from '../../helpers/pictures/image-file.js';
import { cpuClock } from '../cpu-clock.js';
import type { MeterPhoto } from './meter-data.js';
import { judge, type Judged } from './meter-metrics.js';

const workerUrl = new URL('../../../core-server/features/meter/printed/printed-worker.js', import.meta.url);
const limits = { maxBytes: Infinity, maxPixels: Infinity, maxSide: Infinity };

/** Longer side of the picture, pixels; larger ones are read no better. */
const side = 800;

/**
 * Reads photos by PaddleOCR, as the service reads print: of the lines, the one with the most digits counts as the counter,
 * with as many decimals as the meter has. `ms` are CPU milliseconds of all that it does.
 */
export async function readByPaddle(photos: readonly MeterPhoto[]): Promise<(Judged & { readonly ms: number })[]> {
  const library = createWorkerPool<LibraryTasks>({ workerUrl, heapMb: 256, size: 1, maxQueue: 1 });
  await library.ready();
  const { signal } = new AbortController();
  const runs = [];
  for (const { path, truth } of photos) {
    const file = await readHeader(imageFile(await readFile(path)), limits);
    const scale = Math.min(1, side / Math.max(file.size.width, file.size.height));
    const picture = await decodeUpright(file, scaledSize(file.size, scale));
    const start = cpuClock();
    const lines = await library.run('readLines', picture, { signal });
    const ms = cpuClock() - start;
    const numbers = lines.map(({ text, confidence }) => ({ meterNumber: text.replaceAll(/\D/g, ''), confidence }));
    const [longest] = numbers.sort((a, b) => b.meterNumber.length - a.meterNumber.length);
    const reading = longest?.meterNumber
      ? { ...longest, value: withPoint(longest.meterNumber, truth?.redDigits ?? 0), status: 'CHECK' as const }
      : null;
    runs.push({ ...judge(reading, truth), ms });
  }
  await library.close(0);
  return runs;
}

function withPoint(digits: string, decimals: number): string {
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
