import { avifPixels } from './avif-pixels.js';
import type { ImageLimits } from './limits.js';
import type { ImageType } from './sniff-type.js';
import { tiffDirectories, unreadable } from './tiff-directories.js';

/** What libheif takes for each pixel of an AVIF, which it decodes whole: 18, or 24 at 12 bits per channel. */
const avifBytesPerPixel = 24;

/**
 * Share of the memory for decoding that a picture takes, 0 to 1, where 1 is the largest AVIF: 1,200 MB for 50
 * megapixels. Pictures of other types take no more than each worker may use at any time, except TIFFs whose channels
 * are stored one after the other.
 *
 * @throws Refusal CORRUPT_IMAGE, UNSUPPORTED_IMAGE_TYPE or IMAGE_TOO_MANY_PIXELS for an AVIF
 */
export function decodeWeight(
  bytes: Uint8Array,
  type: ImageType,
  { maxPixels }: Pick<ImageLimits, 'maxPixels'>,
): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type === 'avif') return Math.min(1, avifPixels(file, maxPixels) / maxPixels);
  if (type === 'tiff') return Math.min(1, planarBytes(file) / (maxPixels * avifBytesPerPixel));
  return 0;
}

/** Tags of a TIFF (TIFF 6.0, section 8). */
const tags = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  planarConfiguration: 284,
};
const samplesTogether = 1;

/**
 * Bytes that libvips takes for a TIFF with a plane for each channel: it decodes the same strip of all planes, which
 * may be a whole plane, and puts them together. 1,060 MB were measured for 49 megapixels of four 32-bit channels; with
 * the channels of a pixel side by side, 190.
 */
function planarBytes(file: Buffer): number {
  const [page] = tiffDirectories(file);
  const read = (tag: keyof typeof tags, absent: number): number =>
    page?.valueOf(tags[tag]) ?? absent;
  if (read('planarConfiguration', samplesTogether) === samplesTogether) return 0;
  const height = read('height', unreadable);
  const rows = Math.min(read('rowsPerStrip', height), height);
  const planeBytes = (read('width', unreadable) * rows * read('bitsPerSample', 1)) / 8;
  return planeBytes * (read('samplesPerPixel', 1) + 1);
}
