import type { PrintedText } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { internalFault, Refusal } from '../../../../runtime/errors/refusal.js';
import type { RgbPicture } from '../../../image/picture.js';
import { createWorkerPool, type WorkerPool } from '../../../inference/pool/worker-pool.js';
import type { Quad } from '../geometry.js';
import { cutMeterFace } from './meter-face.js';
import { findPrintedText, type PrintedLine } from './printed-text.js';

/** Reads what is printed beside a counter. Belongs to the thread that made it. */
export type PrintedReader = ReturnType<typeof createPrintedReader>;

/** What the thread of the library does. */
export type LibraryTasks = { readLines: { input: RgbPicture; output: readonly PrintedLine[] } };

/** The library copies pixels into arrays of numbers. */
const heapMb = 256;
/** A thread whose caller is gone ends after its picture; by force after this, milliseconds. */
const stuckGraceMs = 5 * 60_000;

/**
 * Reads print by the pipeline of @gutenye/ocr-node, in a thread that starts with the first picture, ends after some
 * idle time, and is replaced after a number of pictures, since it grows with each. It has one picture at a time: callers
 * who go would otherwise leave one thread after the other at work, hundreds of megabytes each.
 */
export function createPrintedReader({ idleMs = 30_000, maxPictures = 16 } = {}) {
  let library: WorkerPool<LibraryTasks> | undefined;
  let pictures = 0;
  let idle: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = library;
    library = undefined;
    pictures = 0;
    await ended?.close(stuckGraceMs);
  };
  return {
    /** Longer side at which it wants the picture, pixels. */
    maxSide: 1280,
    /** @throws `signal.reason` once the caller is gone */
    async read(picture: RgbPicture, counter: Quad, signal: AbortSignal): Promise<PrintedText> {
      clearTimeout(idle);
      library ??= createWorkerPool<LibraryTasks>({
        workerUrl: new URL('printed-worker.js', import.meta.url),
        heapMb,
        size: 1,
        maxQueue: 1,
      });
      const options = { signal, wait: 'queue', reportStart: () => (pictures += 1) } as const;
      try {
        return findPrintedText(await library.run('readLines', cutMeterFace(picture, counter), options));
      } catch (error) {
        if (!(error instanceof Refusal && error.reason === 'WORKER_LOST')) throw error;
        void end();
        throw internalFault(error.cause);
      } finally {
        const ended = pictures >= maxPictures ? end() : undefined;
        // Its last picture is done, unless the caller is gone.
        if (!signal.aborted) await ended;
        if (library) idle = setTimeout(() => void end(), idleMs).unref();
      }
    },
    release: end,
  };
}
