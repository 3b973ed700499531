import type { ImageFile, ImageLimits } from '../picture.js';
import { avifPixels } from './avif/avif-pixels.js';
import { checkParts } from './check-parts.js';
import { Cursor } from './cursor.js';
import { inspectTiff } from './tiff/inspect-tiff.js';

/** One at a time: 50 megapixels take 800 MB. */
const heicShare = 0.75;
/** What libheif takes for each pixel of an AVIF, which it decodes whole: 18, or 24 at 12 bits per channel. */
const avifBytesPerPixel = 24;

/**
 * Finds out what a file would cost its decoder, before it gets it: refuses what costs more than its pixels, and returns
 * the share of the memory for decoding that it takes, 0 to 1, where 1 is the largest AVIF: 1,200 MB for 50 megapixels.
 * Pictures of other types than AVIF, HEIC and TIFF take no more than each worker may use at any time: 800 MB.
 *
 * @throws Refusal UNSUPPORTED_IMAGE_TYPE, CORRUPT_IMAGE, or IMAGE_TOO_MANY_PIXELS for an AVIF
 */
export function inspectPicture({ bytes, type }: ImageFile, { maxPixels }: Pick<ImageLimits, 'maxPixels'>): number {
  if (type === 'heic') return heicShare;
  const file = new Cursor(bytes);
  if (type === 'tiff') return Math.min(1, inspectTiff(file) / (maxPixels * avifBytesPerPixel));
  checkParts[type]?.(file);
  return type === 'avif' ? Math.min(1, avifPixels(file, maxPixels) / maxPixels) : 0;
}
