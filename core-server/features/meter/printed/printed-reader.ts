import type { RgbPicture } from '../../../image/picture.js';
import type { Quad } from '../geometry.js';
import { besideCounter, cutMeterFace } from './meter-face.js';
import { openPaddleOcr, type PaddleOcr } from './paddle-ocr.js';
import { findPrintedText, type PrintedText } from './printed-text.js';
import { readTextLines } from './text-lines.js';

/** Reads what is printed beside a counter. Belongs to the thread that made it. */
export interface PrintedReader {
  /** Longer side at which it wants the picture, pixels. */
  readonly maxSide: number;
  read(picture: RgbPicture, counter: Quad, signal: AbortSignal): Promise<PrintedText>;
  /** Frees the networks' memory. */
  release(): Promise<void>;
}

export const maxSide = 1280;

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
      const face = cutMeterFace(picture, counter);
      const toRead = (boxes: Quad[]): Quad[] => besideCounter(boxes, face.counter);
      const lines = await readTextLines(await opening, face.picture, toRead, signal);
      return findPrintedText(
        lines.map(({ characters }) => ({
          text: characters.map(({ text }) => text).join(''),
          confidence: Math.min(1, ...characters.map(({ confidence }) => confidence)),
        })),
      );
    },
    async release() {
      const opened = await opening;
      opening = undefined;
      await opened?.release();
    },
  };
}
