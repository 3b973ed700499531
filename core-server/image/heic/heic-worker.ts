import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type decode from 'heic-decode';
import { limitWebAssemblyMemory } from '../../../runtime/node-patches/limit-web-assembly-memory.js';
import type { Size } from '../picture.js';
import type { HeicInput, HeicOutput } from './convert-heic.js';

// Decodes one picture and ends.

/** What is used of libheif-js, which heic-decode brings. */
interface Libheif {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): { is_primary(): boolean }[] };
}

/** Fifty megapixels take 400 MB. */
const maxMemoryBytes = 512 * 2 ** 20;

const { bytes, maxPixels, maxSide } = workerData as HeicInput;
limitWebAssemblyMemory(maxMemoryBytes);
const load = createRequire(import.meta.resolve('heic-decode'));
const { HeifDecoder } = load('libheif-js/wasm-bundle') as Libheif;
/** heic-decode does not tell which picture is the primary one, which is all that others show: it comes first. */
class PrimaryFirst extends HeifDecoder {
  override decode(file: Uint8Array) {
    return super.decode(file).sort((a, b) => Number(b.is_primary()) - Number(a.is_primary()));
  }
}
const createDecode = load('./lib.js') as (libheif: Libheif) => Pick<typeof decode, 'all'>;
// The size is missing in the library's types.
const [picture] = (await createDecode({ HeifDecoder: PrimaryFirst }).all({ buffer: bytes })) as (Size &
  Awaited<ReturnType<typeof decode.all>>[number])[];
if (picture === undefined) throw new Error('no picture in it');
const { width, height } = picture;
const isAllowed = width * height <= maxPixels && Math.max(width, height) <= maxSide;
const output: HeicOutput = { width, height, ...(isAllowed && { rgba: (await picture.decode()).data }) };
parentPort?.postMessage(output, output.rgba ? [output.rgba.buffer as ArrayBuffer] : []);
