import { refuse } from '../../../runtime/errors/refusal.js';
import type { ImageFile, ImageLimits } from '../picture.js';
import { sniffType, type UnsupportedType } from './sniff-type.js';

const unsupported: Readonly<Record<UnsupportedType, string>> = {
  heic: 'HEIC, want it converted to JPEG',
  avis: 'an animated AVIF, want a still picture',
};

/**
 * Checks the length and the first bytes of a picture file. This is all that the main thread does with it: what its
 * parts contain is found out in a worker, by `inspectPicture`.
 *
 * @throws Refusal EMPTY_IMAGE, BODY_TOO_LARGE or UNSUPPORTED_IMAGE_TYPE
 */
export function receivePicture(bytes: Uint8Array, limits: Pick<ImageLimits, 'maxBytes'>): ImageFile {
  const field = 'image';
  if (bytes.length === 0) {
    throw refuse('EMPTY_IMAGE', 'image has no bytes, want a picture file', {
      details: { field },
    });
  }
  if (bytes.length > limits.maxBytes) {
    throw refuse('BODY_TOO_LARGE', `image has ${bytes.length} bytes, want at most ${limits.maxBytes}`, {
      details: { field, value: String(bytes.length), limit: String(limits.maxBytes) },
    });
  }
  const type = sniffType(bytes);
  if (type === 'heic' || type === 'avis') {
    throw refuse('UNSUPPORTED_IMAGE_TYPE', `image is ${unsupported[type]}`, {
      details: { field, value: type },
    });
  }
  if (type === undefined) {
    throw refuse('UNSUPPORTED_IMAGE_TYPE', 'image is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF', {
      details: { field },
    });
  }
  return { bytes, type };
}
