import type { ImageFile, ImageLimits } from '../picture.js';
import { refuseImage, unsupportedImage } from '../refuse-image.js';
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
    const what = `has ${length} bytes, want at most ${maxBytes}`;
    throw refuseImage('BODY_TOO_LARGE', what, { value: length, limit: maxBytes });
  }
  const type = sniffType(bytes);
  if (type === undefined)
    throw unsupportedImage(type, 'is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF');
  if (type === 'avis') throw unsupportedImage(type, 'is an animated AVIF, want a still picture');
  if (type === 'heic' && !decodesHeic)
    throw unsupportedImage(type, 'is HEIC, want it converted to JPEG, or CORE_HEIC set to true on the server');
  // Of what is a small part of a message, the worker would get a copy of the whole message. Not by `slice`, which for a
  // Buffer returns a view.
  const isMostOfIt = 2 * length >= bytes.buffer.byteLength;
  return { bytes: isMostOfIt ? bytes : new Uint8Array(bytes), type };
}
