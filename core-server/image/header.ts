import sharp from 'sharp';
import { ServiceError } from '../errors.js';
import { corruptImage } from './corrupt-image.js';
import type { ImageLimits } from './limits.js';
import type { Size } from './picture.js';

/**
 * The size of the upright picture (EXIF orientation applied), from the header alone.
 * Throws CORRUPT_IMAGE, or IMAGE_TOO_MANY_PIXELS before any pixel costs memory.
 */
export async function readUprightSize(bytes: Uint8Array, limits: ImageLimits): Promise<Size> {
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw corruptImage(error);
    });
  const { width, height } = metadata.autoOrient;
  checkSize({ width, height }, limits);
  return { width, height };
}

/** Throws IMAGE_TOO_MANY_PIXELS. */
export function checkSize({ width, height }: Size, limits: ImageLimits): void {
  const pixels = width * height;
  if (pixels > limits.maxPixels) {
    throw new ServiceError(
      'IMAGE_TOO_MANY_PIXELS',
      `image has ${pixels} pixels (${width} x ${height}), want at most ${limits.maxPixels}`,
      { details: { field: 'image', value: String(pixels), limit: String(limits.maxPixels) } },
    );
  }
  const side = Math.max(width, height);
  if (side > limits.maxSide) {
    throw new ServiceError(
      'IMAGE_TOO_MANY_PIXELS',
      `image has a side of ${side} pixels (${width} x ${height}), want at most ${limits.maxSide}`,
      { details: { field: 'image', value: String(side), limit: String(limits.maxSide) } },
    );
  }
}
