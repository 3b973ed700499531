import type { Transferable } from 'node:worker_threads';
import { receivePicture } from '../image/inspect/receive-picture.js';
import type { ImageFile, ImageLimits } from '../image/picture.js';

/**
 * Pictures of at least this many bytes are transferred: two copies and their collection cost a 12-megapixel picture a
 * twentieth of its processor time.
 */
const minTransferBytes = 2 ** 20;

/**
 * Makes the picture of a request ready for a worker: copied if it is small, so that another worker can get it if the
 * first one dies, and transferred if it is large. The bytes of a large one are gone once a worker has it.
 *
 * @throws Refusal EMPTY_IMAGE, BODY_TOO_LARGE or UNSUPPORTED_IMAGE_TYPE
 */
export function preparePicture(
  received: Uint8Array,
  limits: Pick<ImageLimits, 'maxBytes'>,
): { readonly image: ImageFile; readonly transfer: readonly Transferable[] } {
  const { bytes, type } = receivePicture(received, limits);
  // A received message may be part of a larger buffer, all of which would be transferred with it.
  const isMostOfIt = 2 * bytes.byteLength >= bytes.buffer.byteLength;
  // Not `slice`, which for a Buffer returns a view.
  const own = isMostOfIt ? bytes : new Uint8Array(bytes);
  const isLarge = own.byteLength >= minTransferBytes;
  return { image: { bytes: own, type }, transfer: isLarge ? [own.buffer as ArrayBuffer] : [] };
}
