import { refuse } from '../../../runtime/errors/refusal.js';
import type { ImageLimits } from '../limits.js';
import { refuseDamaged } from './corrupt-image.js';
import { partsOf } from './count-parts.js';
import { Cursor } from './cursor.js';
import { type ImageType, sniffType, type UnsupportedType } from './sniff-type.js';
import { jpegInTiff, tiffCompression } from './tiff-directories.js';

const unsupported: Readonly<Record<UnsupportedType, string>> = {
  heic: 'HEIC, want it converted to JPEG',
  avis: 'an animated AVIF, want a still picture',
};

/**
 * Checks what the bytes of a picture file reveal without decoding, and returns its type.
 *
 * @throws Refusal EMPTY_IMAGE, BODY_TOO_LARGE, UNSUPPORTED_IMAGE_TYPE or CORRUPT_IMAGE
 */
export function validateImageBytes(
  bytes: Uint8Array,
  limits: Pick<ImageLimits, 'maxBytes'>,
): ImageType {
  const field = 'image';
  if (bytes.length === 0) {
    throw refuse('EMPTY_IMAGE', 'image has no bytes, want a picture file', {
      details: { field },
    });
  }
  if (bytes.length > limits.maxBytes) {
    throw refuse(
      'BODY_TOO_LARGE',
      `image has ${bytes.length} bytes, want at most ${limits.maxBytes}`,
      { details: { field, value: String(bytes.length), limit: String(limits.maxBytes) } },
    );
  }
  const type = sniffType(bytes);
  if (type === 'heic' || type === 'avis') {
    throw refuse('UNSUPPORTED_IMAGE_TYPE', `image is ${unsupported[type]}`, {
      details: { field, value: type },
    });
  }
  if (type === undefined) {
    throw refuse(
      'UNSUPPORTED_IMAGE_TYPE',
      'image is of an unknown type, want JPEG, PNG, WebP, AVIF, GIF or TIFF',
      { details: { field } },
    );
  }
  refuseDamaged(() => {
    const file = new Cursor(bytes);
    if (type === 'tiff') assertKnownCompression(file);
    assertFewParts(file, type);
  });
  return type;
}

function assertFewParts(file: Cursor, type: ImageType): void {
  for (const { name, max, found } of partsOf[type]?.(file) ?? []) {
    if (found <= max) continue;
    throw refuse(
      'UNSUPPORTED_IMAGE_TYPE',
      `image is ${type === 'avif' ? 'an' : 'a'} ${type.toUpperCase()} of more than ${max} ${name}, want one of fewer`,
      { details: { field: 'image', value: type, limit: String(max) } },
    );
  }
}

/** Of TIFF 6.0 and Adobe: uncompressed, CCITT (2, 3 and 4), LZW, JPEG, deflate (two numbers) and PackBits. */
const compressions = [1, 2, 3, 4, 5, jpegInTiff, 8, 32_946, 32_773];

function assertKnownCompression(file: Cursor): void {
  const compression = tiffCompression(file);
  if (compressions.includes(compression)) return;
  throw refuse(
    'UNSUPPORTED_IMAGE_TYPE',
    `image is a TIFF with compression ${compression}, want none, CCITT, LZW, JPEG, deflate or PackBits`,
    { details: { field: 'image', value: 'tiff' } },
  );
}
