import type { Transferable } from 'node:worker_threads';
import type { ImageFile, ImageLimits } from '../picture.js';
import { refuseImage } from '../refuse-image.js';
import { sniffType } from './sniff-type.js';

/**
 * Checks the length and the first bytes of a picture file. This is all that the main thread does with it: what its
 * parts contain is found out in a worker, by `inspectPicture`.
 *
 * @throws Refusal EMPTY_IMAGE, BODY_TOO_LARGE or UNSUPPORTED_IMAGE_TYPE
 */
export function receivePicture(
  bytes: Uint8Array,
  { maxBytes, decodesHeic }: Pick<ImageLimits, 'maxBytes' | 'decodesHeic'>,
): ImageFile {
  const { length } = bytes;
  if (length === 0) throw refuseImage('EMPTY_IMAGE', 'has no bytes, want a picture file');
  if (length > maxBytes) {
    throw refuseImage('BODY_TOO_LARGE', `has ${length} bytes, want at most ${maxBytes}`, {
      value: length,
      limit: maxBytes,
    });
  }
  const type = sniffType(bytes);
  if (type === undefined) {
    const what = 'is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF';
    throw refuseImage('UNSUPPORTED_IMAGE_TYPE', what);
  }
  if (type === 'avis') {
    throw refuseImage('UNSUPPORTED_IMAGE_TYPE', 'is an animated AVIF, want a still picture', { value: type });
  }
  if (type === 'heic' && !decodesHeic) {
    const what = 'is HEIC, want it converted to JPEG, or CORE_HEIC set to true on the server';
    throw refuseImage('UNSUPPORTED_IMAGE_TYPE', what, { value: type });
  }
  return { bytes, type };
}

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
  limits: Pick<ImageLimits, 'maxBytes' | 'decodesHeic'>,
): { readonly image: ImageFile; readonly transfer: readonly Transferable[] } {
  const { bytes, type } = receivePicture(received, limits);
  // A received message may be part of a larger buffer, all of which would be transferred with it.
  const isMostOfIt = 2 * bytes.byteLength >= bytes.buffer.byteLength;
  // Not `slice`, which for a Buffer returns a view.
  const own = isMostOfIt ? bytes : new Uint8Array(bytes);
  const isLarge = own.byteLength >= minTransferBytes;
  return { image: { bytes: own, type }, transfer: isLarge ? [own.buffer as ArrayBuffer] : [] };
}
