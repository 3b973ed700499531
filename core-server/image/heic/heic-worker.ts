import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { limitWebAssemblyMemory } from '../../../runtime/node-patches/limit-web-assembly-memory.js';
import type { Size } from '../picture.js';
import type { HeicInput, HeicOutput } from './convert-heic.js';

// Decodes one picture and ends.

/** What is used of libheif-js, which has no types. */
interface Libheif {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
}

interface HeifImage {
  is_primary(): boolean;
  get_width(): number;
  get_height(): number;
  /** Fills the pixels, four bytes each. @param done gets null if it cannot */
  display(pixels: Size & { data: Uint8ClampedArray }, done: (filled: object | null) => void): void;
}

/** Fifty megapixels take 400 MB. */
const maxMemoryBytes = 512 * 2 ** 20;

const { bytes, maxPixels, maxSide } = workerData as HeicInput;
limitWebAssemblyMemory(maxMemoryBytes);
const { HeifDecoder } = createRequire(import.meta.url)('libheif-js/wasm-bundle') as Libheif;
// All that others show of a file.
const picture = new HeifDecoder().decode(bytes).find((image) => image.is_primary());
if (picture === undefined) throw new Error('no picture in it');
const [width, height] = [picture.get_width(), picture.get_height()];
if (width * height > maxPixels || Math.max(width, height) > maxSide) {
  parentPort?.postMessage({ width, height } satisfies HeicOutput);
} else {
  const data = new Uint8ClampedArray(width * height * 4);
  picture.display({ data, width, height }, (filled) => {
    if (filled === null) throw new Error('its pixels cannot be decoded');
    parentPort?.postMessage({ width, height, rgba: data } satisfies HeicOutput, [data.buffer]);
  });
}
