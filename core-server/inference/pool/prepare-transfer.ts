import type { Transferable } from 'node:worker_threads';

/**
 * Pictures of at least this many bytes are transferred: two copies and their collection cost a 12-megapixel picture a
 * twentieth of its processor time.
 */
const minTransferBytes = 2 ** 20;

/**
 * A picture on its way to a worker: copied if it is small, so that another worker can get it if the first one
 * dies, and transferred if it is large. The bytes of a large one are gone once a worker has it.
 */
export function prepareTransfer(bytes: Uint8Array): {
  readonly image: Uint8Array;
  readonly transfer: readonly Transferable[];
} {
  // A received message may be part of a larger buffer, all of which would be transferred with it.
  const isMostOfIt = 2 * bytes.byteLength >= bytes.buffer.byteLength;
  // Not `slice`, which for a Buffer returns a view.
  const image = isMostOfIt ? bytes : new Uint8Array(bytes);
  const isLarge = image.byteLength >= minTransferBytes;
  return { image, transfer: isLarge ? [image.buffer as ArrayBuffer] : [] };
}
