import { parentPort, workerData } from 'node:worker_threads';
import decode from 'heic-decode';
import { limitWebAssemblyMemory } from '../../../runtime/node-patches/limit-web-assembly-memory.js';
import type { Size } from '../picture.js';
import type { HeicInput, HeicOutput } from './convert-heic.js';

// Decodes one picture and ends.

/** Fifty megapixels take 400 MB. */
const maxMemoryBytes = 512 * 2 ** 20;

const { bytes, maxPixels, maxSide } = workerData as HeicInput;
limitWebAssemblyMemory(maxMemoryBytes);
// The size is missing in the library's types.
const [picture] = (await decode.all({ buffer: bytes })) as (Size & Awaited<ReturnType<typeof decode.all>>[number])[];
if (picture === undefined) throw new Error('no picture in it');
const { width, height } = picture;
const isAllowed = width * height <= maxPixels && Math.max(width, height) <= maxSide;
const output: HeicOutput = { width, height, ...(isAllowed && { rgba: (await picture.decode()).data }) };
parentPort?.postMessage(output, output.rgba ? [output.rgba.buffer as ArrayBuffer] : []);
