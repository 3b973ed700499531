import type { CounterReader } from './counter-reading.js';
import { readLines } from './ocr-lines.js';
import { type PaddleOcr, openPaddleOcr } from './paddle-ocr.js';
import { toCounterReading } from './ocr-counter.js';
import { selectReading } from './select-reading.js';

// Kept small: training photos of 800 pixels were read no worse than larger ones.
const maxSide = 800;

/** Reads counters by general text recognition. The networks are loaded at the first photo. */
export function createOcrCounterReader(open = openPaddleOcr): CounterReader {
  let opening: Promise<PaddleOcr> | undefined;
  return {
    name: 'ocr',
    maxSide,
    async read(picture) {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      const selected = selectReading(await readLines(await opening, picture));
      return selected === null ? null : toCounterReading(selected);
    },
    async release() {
      const opened = await opening;
      opening = undefined;
      await opened?.release();
    },
  };
}
