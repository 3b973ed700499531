import { Cursor } from './cursor.js';
import { chunkType, pngChunks } from './png-chunks.js';

const [gAMA, IDAT] = ['gAMA', 'IDAT'].map(chunkType);
const better = ['cICP', 'iCCP', 'sRGB'].map(chunkType);

/**
 * The gamma by which a PNG is brightened to sRGB: 2.2 if it is linear. Undefined if it says nothing, or says its colours
 * in a better way too, or would hardly change, or become darker. PNG, third edition, 4.3 and 11.3.2.2.
 */
export function pngGamma(png: Uint8Array): number | undefined {
  const file = new Cursor(png);
  let gamma = 1;
  for (const { type, at } of pngChunks(file)) {
    if (type === IDAT) break;
    if (better.includes(type)) return undefined;
    if (type === gAMA) gamma = (2.2 * file.uint(at + 8, 4)) / 100_000;
  }
  return gamma > 1.1 && gamma <= 3 ? gamma : undefined;
}
