import type { ImageLimits } from '../limits.js';
import { avifPixels } from './avif-pixels.js';
import { refuseDamaged } from './corrupt-image.js';
import { Cursor } from './cursor.js';
import type { ImageType } from './sniff-type.js';
import { tiffDirectories } from './tiff-directories.js';

/** What libheif takes for each pixel of an AVIF, which it decodes whole: 18, or 24 at 12 bits per channel. */
const avifBytesPerPixel = 24;

/**
 * Share of the memory for decoding that a picture takes, 0 to 1, where 1 is the largest AVIF: 1,200 MB for 50
 * megapixels. Pictures of other types than AVIF and TIFF take no more than each worker may use at any time: 750 MB.
 *
 * @throws Refusal CORRUPT_IMAGE, UNSUPPORTED_IMAGE_TYPE or IMAGE_TOO_MANY_PIXELS for an AVIF
 */
export function decodeWeight(
  bytes: Uint8Array,
  type: ImageType,
  { maxPixels }: Pick<ImageLimits, 'maxPixels'>,
): number {
  return refuseDamaged(() => {
    const file = new Cursor(bytes);
    if (type === 'avif') return Math.min(1, avifPixels(file, maxPixels) / maxPixels);
    if (type === 'tiff') return Math.min(1, tiffBytes(file) / (maxPixels * avifBytesPerPixel));
    return 0;
  });
}

/** Tags of a TIFF (TIFF 6.0, section 8). */
const tags = { width: 256, height: 257, bitsPerSample: 258, samplesPerPixel: 277 };

/**
 * Bytes that libvips takes for a TIFF whose channels are stored one after the other, which has tall tiles, or which
 * is turned: all its pixels, at their own depth, and up to one channel more. Others take less, but are seldom large.
 * 1,060 MB were measured for 49 megapixels of four 32-bit channels.
 */
function tiffBytes(file: Cursor): number {
  const [page] = tiffDirectories(file);
  const read = (tag: keyof typeof tags, absent: number): number =>
    page?.valueOf(tags[tag]) ?? absent;
  const channels = read('samplesPerPixel', 1) + 1;
  // Without a width or a height, libtiff refuses the file.
  return (read('width', 0) * read('height', 0) * channels * read('bitsPerSample', 1)) / 8;
}
