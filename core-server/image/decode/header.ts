import sharp from 'sharp';
import { refuse } from '../../../runtime/errors/refusal.js';
import { isPlainProfile } from '../inspect/colour-profile.js';
import { corruptImage } from '../inspect/corrupt-image.js';
import type { ImageFile, ImageLimits, OpenPicture, Size } from '../picture.js';

/**
 * What the header alone says: the size of the upright picture (EXIF orientation applied), and the profile.
 *
 * @throws Refusal CORRUPT_IMAGE, or IMAGE_TOO_MANY_PIXELS before any pixel costs memory
 */
export async function readHeader(file: ImageFile, limits: ImageLimits): Promise<OpenPicture> {
  const { autoOrient, icc } = await sharp(file.bytes, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw corruptImage(error);
    });
  const { width, height } = autoOrient;
  const size = { width, height };
  checkSize(size, limits);
  return { ...file, size, usesProfile: icc !== undefined && isPlainProfile(icc) };
}

/** @throws Refusal IMAGE_TOO_MANY_PIXELS */
export function checkSize({ width, height }: Size, limits: ImageLimits): void {
  const pixels = width * height;
  if (pixels > limits.maxPixels) {
    throw refuse(
      'IMAGE_TOO_MANY_PIXELS',
      `image has ${pixels} pixels (${width} x ${height}), want at most ${limits.maxPixels}`,
      { details: { field: 'image', value: String(pixels), limit: String(limits.maxPixels) } },
    );
  }
  const side = Math.max(width, height);
  if (side > limits.maxSide) {
    throw refuse(
      'IMAGE_TOO_MANY_PIXELS',
      `image has a side of ${side} pixels (${width} x ${height}), want at most ${limits.maxSide}`,
      { details: { field: 'image', value: String(side), limit: String(limits.maxSide) } },
    );
  }
}
