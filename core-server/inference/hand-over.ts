import type { Transferable } from 'node:worker_threads';

/**
 * From so many bytes on a picture is handed over. Copied, one of 12 megapixels costs a twentieth of all
 * its processor time: for the two copies, in memory that is new each time, and for the collections of
 * what is left behind.
 */
const leastHandedOver = 2 ** 20;

/**
 * A picture on its way to a worker: copied if it is small, so that another worker gets it where the
 * first one dies, and handed over if it is large. The bytes of a large one are gone once a worker has it.
 */
export function handOver(bytes: Uint8Array): {
  readonly image: Uint8Array;
  readonly transfer: readonly Transferable[];
} {
  // A received message may lie in something larger, all of which would go with it.
  const isMostOfIt = 2 * bytes.byteLength >= bytes.buffer.byteLength;
  // Not `slice`: that of a Buffer is another view.
  const image = isMostOfIt ? bytes : new Uint8Array(bytes);
  const isLarge = image.byteLength >= leastHandedOver;
  return { image, transfer: isLarge ? [image.buffer as ArrayBuffer] : [] };
}
