import { readFile } from 'node:fs/promises';
import { decodeUpright } from '../../../core-server/image/decode/decode.js';
import { readHeader } from '../../../core-server/image/decode/open-picture.js';
import { scaledSize } from '../../../core-server/image/picture.js';
import { imageFile } from '../../helpers/pictures/image-file.js';
import type { MeterPhoto } from './meter-data.js';
import { judge, type Judged } from './meter-metrics.js';
import { openPaddleCounter, paddleSide } from './paddle-counter/read-counter.js';

const limits = { maxBytes: Infinity, maxPixels: Infinity, maxSide: Infinity };

/** What PaddleOCR makes of a photo. */
interface PaddleRun extends Judged {
  /** Empty: nothing. */
  readonly digits: string;
  /** CPU milliseconds in its networks. */
  readonly ms: number;
}

/** Reads photos, in this thread, by PaddleOCR and the best rule that we found for it. */
export async function readByPaddle(photos: readonly MeterPhoto[]): Promise<PaddleRun[]> {
  const counter = await openPaddleCounter();
  const runs: PaddleRun[] = [];
  for (const { path, truth } of photos) {
    const image = await readFile(path);
    const file = await readHeader(imageFile(image), limits);
    const scale = Math.min(1, paddleSide / Math.max(file.size.width, file.size.height));
    const picture = await decodeUpright(file, scaledSize(file.size, scale));
    const { reading, ms } = await counter.read(picture);
    const judged = judge(reading && { ...reading, status: 'CHECK' }, truth);
    runs.push({ ...judged, digits: reading?.meterNumber ?? '', ms });
  }
  await counter.release();
  return runs;
}
