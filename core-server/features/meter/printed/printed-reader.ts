import type { RgbPicture } from '../../../image/picture.js';
import type { Quad } from '../geometry.js';
import { openPaddleOcr, type PaddleOcr } from './paddle-ocr.js';
import { besideCounter, findPrintedText, type PrintedText } from './printed-text.js';
import { readTextLines } from './text-lines.js';

/** Reads what is printed beside a counter. Belongs to the thread that made it. */
export interface PrintedReader {
  /** Longer side at which it wants the picture, pixels. */
  readonly maxSide: number;
  read(picture: RgbPicture, counter: Quad, signal: AbortSignal): Promise<PrintedText>;
  /** Frees the networks' memory. */
  release(): Promise<void>;
}

/** Small print needs more pixels than wheels; the detector's memory grows with them. */
const maxSide = 1280;

/** The networks are loaded when they are first asked for: most callers never do. */
export function createPrintedReader(open = openPaddleOcr): PrintedReader {
  let opening: Promise<PaddleOcr> | undefined;
  return {
    maxSide,
    async read(picture, counter, signal) {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      const toRead = (boxes: Quad[]): Quad[] => besideCounter(boxes, counter);
      return findPrintedText(await readTextLines(await opening, picture, toRead, signal));
    },
    async release() {
      const opened = await opening;
      opening = undefined;
      await opened?.release();
    },
  };
}
