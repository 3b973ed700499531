import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { Refusal } from '../../../runtime/errors/refusal.js';
import { checkSize } from '../decode/open-picture.js';
import type { ImageFile, ImageLimits, Size } from '../picture.js';
import { corruptImage } from '../refuse-image.js';

export interface HeicInput extends Pick<ImageLimits, 'maxPixels' | 'maxSide'> {
  readonly bytes: Uint8Array;
}

/** What it answers. */
export interface HeicOutput extends Size {
  /** Four bytes a pixel; absent if it has more pixels than may be decoded. */
  readonly rgba?: Uint8ClampedArray;
}

/** Twelve megapixels take 1.2 s. */
const maxMs = 15_000;
const quality = 95;

/**
 * Makes a JPEG of a HEIC, upright and without metadata; of a profile, nothing is left either. Its decoder is libheif,
 * compiled to WebAssembly, in a thread that ends with the picture: what a file makes it do ends at a limit of memory and
 * of time, and nothing remains of it.
 *
 * @throws Refusal CORRUPT_IMAGE, or IMAGE_TOO_MANY_PIXELS before any pixel costs memory; `signal.reason`
 */
export async function convertHeic({ bytes }: ImageFile, limits: ImageLimits, signal: AbortSignal): Promise<ImageFile> {
  const { maxPixels, maxSide } = limits;
  const workerData: HeicInput = { bytes, maxPixels, maxSide };
  // What libheif thinks of a file is not for the log.
  const thread = new Worker(new URL('heic-worker.js', import.meta.url), { workerData, stdout: true, stderr: true });
  const ended = once(thread, 'exit').then(() => Promise.reject(new Error('the thread ended without an answer')));
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
    const [answer] = (await Promise.race([once(thread, 'message', { signal: until }), ended])) as [HeicOutput];
    const { width, height, rgba } = answer;
    checkSize({ width, height }, limits);
    const pixels = sharp(rgba, { raw: { width, height, channels: 4 } }).flatten({ background: '#ffffff' });
    return { type: 'jpeg', bytes: await pixels.jpeg({ quality, chromaSubsampling: '4:4:4' }).toBuffer() };
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Refusal ? error : corruptImage(error);
  } finally {
    await thread.terminate();
  }
}
