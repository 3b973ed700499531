import type { ImageLimits } from './limits.js';
import type { ImageType } from './sniff-type.js';

/**
 * Share of the memory for decoding that a picture takes, 0 to 1. libheif decodes an AVIF whole, at 18
 * to 25 bytes per pixel: 900 MB for 50 megapixels, 1,200 MB at 12 bits per channel. Pictures of other types
 * never take more than a worker may use.
 */
export function decodeWeight(
  bytes: Uint8Array,
  type: ImageType,
  { maxPixels }: Pick<ImageLimits, 'maxPixels'>,
): number {
  if (type !== 'avif') return 0;
  return Math.min(1, (statedPixels(bytes) ?? maxPixels) / maxPixels);
}

const maxSizesRead = 64;

/**
 * Pixels by the sizes that the file states, each a box `ispe` (ISO/IEC 23008-12, 6.5.3) of version,
 * flags, width and height; the largest, which is the picture or more. Undefined where it states none, or more
 * than a picture has: a size for each of its tiles, its thumbnails and its alpha channel, mostly shared.
 */
function statedPixels(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let most: number | undefined;
  let found = 0;
  for (let at = file.indexOf('ispe'); at >= 0; at = file.indexOf('ispe', at + 4)) {
    found += 1;
    if (found > maxSizesRead) return undefined;
    if (at + 16 > file.length) break;
    most = Math.max(most ?? 0, file.readUInt32BE(at + 8) * file.readUInt32BE(at + 12));
  }
  return most;
}
