import type { PrintedText } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import type { RgbPicture } from '../../../image/picture.js';
import { fromWireError } from '../../../inference/pool/messages.js';
import { startWorkerThread, type WorkerThread } from '../../../inference/pool/thread.js';
import type { Quad } from '../geometry.js';
import { cutMeterFace, type MeterFace } from './meter-face.js';
import { findPrintedText, type PrintedLine } from './printed-text.js';

/** Reads what is printed beside a counter. Belongs to the thread that made it. */
export interface PrintedReader {
  /** Longer side at which it wants the picture, pixels. */
  readonly maxSide: number;
  /** @throws `signal.reason` once the caller is gone */
  read(picture: RgbPicture, counter: Quad, signal: AbortSignal): Promise<PrintedText>;
  release(): Promise<void>;
}

/** What the thread of the library does. */
export type LibraryTasks = { readLines: { input: RgbPicture; output: readonly PrintedLine[] } };

/** The library copies pixels into arrays of numbers. */
const heapMb = 256;
/** A thread whose caller is gone ends after its picture; by force after this, milliseconds. */
const stuckGraceMs = 5 * 60_000;

/**
 * Reads print by the pipeline of @gutenye/ocr-node, in a thread that starts with the first picture, ends after some
 * idle time, and is replaced after a number of pictures, since it grows with each. One picture at a time.
 */
export function createPrintedReader({ idleMs = 30_000, maxPictures = 16 } = {}): PrintedReader {
  let current: LibraryThread | undefined;
  /** Of a thread whose caller is gone. */
  let ending: Promise<unknown> = Promise.resolve();
  let pictures = 0;
  let idle: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = current;
    current = undefined;
    pictures = 0;
    await ended?.close();
  };
  return {
    maxSide: 1280,
    async read(picture, counter, signal) {
      clearTimeout(idle);
      const gone = rejectAtAbort(signal);
      // Callers who go would otherwise leave one thread after the other at work, hundreds of megabytes each.
      await Promise.race([gone, ending]);
      current ??= startLibrary();
      const face = withoutCounter(cutMeterFace(picture, counter));
      const lines = await Promise.race([gone, current.read(face)]).catch((error: unknown) => {
        if (current) ending = current.close();
        current = undefined;
        pictures = 0;
        throw error;
      });
      pictures += 1;
      if (pictures >= maxPictures) await end();
      else idle = setTimeout(() => void end(), idleMs).unref();
      return findPrintedText(lines);
    },
    release: end,
  };
}

interface LibraryThread extends Pick<WorkerThread, 'ended'> {
  read(face: RgbPicture): Promise<readonly PrintedLine[]>;
  close(): Promise<void>;
}

function startLibrary(): LibraryThread {
  let settle: { resolve(lines: readonly PrintedLine[]): void; reject(error: unknown): void };
  const thread = startWorkerThread(
    {
      workerUrl: new URL('printed-worker.js', import.meta.url),
      workerData: undefined,
      heapMb,
    },
    {
      message(message) {
        if (message.type === 'done') settle.resolve(message.output as readonly PrintedLine[]);
        else if (message.type === 'failed') settle.reject(fromWireError(message.error));
      },
      exit(code, error) {
        settle.reject(error ?? new Error(`the thread that reads print ended with ${code}`));
      },
    },
  );
  return {
    read: (face) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        const job = { transfer: [], weight: 0, hasSpareCore: false };
        thread.send({ type: 'run', task: 'readLines', input: face, ...job });
      }),
    close: () => thread.close(stuckGraceMs),
    ended: thread.ended,
  };
}

function rejectAtAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** The library joins what stands side by side to one line: the wheels would be part of it. */
function withoutCounter({ picture: { data, width, height }, counter }: MeterFace): RgbPicture {
  const [topLeft, , bottomRight] = counter;
  const from = Math.max(0, Math.floor(topLeft.x));
  const to = Math.min(width, Math.ceil(bottomRight.x));
  for (let y = Math.max(0, Math.floor(topLeft.y)); y < Math.min(height, bottomRight.y); y++) {
    data.fill(128, (y * width + from) * 3, (y * width + to) * 3);
  }
  return { data, width, height };
}
