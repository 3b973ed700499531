import type { ImageFile, ImageLimits } from '../picture.js';
import { refuseImage } from '../refuse-image.js';
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
  const { length } = bytes;
  const { maxBytes } = limits;
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
  if (type === 'heic' || type === 'avis') {
    throw refuseImage('UNSUPPORTED_IMAGE_TYPE', `is ${unsupported[type]}`, { value: type });
  }
  return { bytes, type };
}
