import sharp from 'sharp';
import { isPlainProfile } from '../inspect/colour-profile.js';
import type { ImageType } from '../inspect/sniff-type.js';
import { type ImageFile, type ImageLimits, type OpenPicture, type Size, wholeOf } from '../picture.js';
import { corruptImage, refuseImage } from '../refuse-image.js';
import { decodeUpright } from './decode.js';
import { decodePlainJpeg } from './plain-jpeg.js';
import { withoutExtras } from './without-extras.js';
import { withoutFurtherPages } from './without-further-pages.js';

/** Up to Full HD, decoding the whole picture once costs less than decoding for each look and crop. */
export const maxPixelsDecodedOnce = 1920 * 1080;

/**
 * Decodes a picture completely if it is small enough; of any other, it reads only the header.
 *
 * @throws Refusal CORRUPT_IMAGE, or IMAGE_TOO_MANY_PIXELS before any pixel costs memory
 */
export async function openPicture(file: ImageFile, limits: ImageLimits): Promise<OpenPicture> {
  const maxPixels = Math.min(maxPixelsDecodedOnce, limits.maxPixels);
  const plain = file.type === 'jpeg' ? decodePlainJpeg(file.bytes, maxPixels) : undefined;
  if (plain) {
    const size = { width: plain.width, height: plain.height };
    checkSize(size, limits);
    return { ...file, size, usesProfile: false, decoded: { picture: plain, around: wholeOf(size) } };
  }
  const picture = await readHeader(file, limits);
  const { size } = picture;
  if (size.width * size.height > maxPixelsDecodedOnce) return picture;
  return { ...picture, decoded: { picture: await decodeUpright(picture, size), around: wholeOf(size) } };
}

/** By type, what takes parts out of a file that nobody asks for, but libvips reads. */
const trimOf: Partial<Record<ImageType, (bytes: Uint8Array) => Uint8Array>> = {
  png: withoutExtras,
  tiff: withoutFurtherPages,
};

/**
 * What the header alone says: the size of the upright picture (EXIF orientation applied), and the profile.
 *
 * @throws Refusal CORRUPT_IMAGE, or IMAGE_TOO_MANY_PIXELS before any pixel costs memory
 */
export async function readHeader(file: ImageFile, limits: ImageLimits): Promise<OpenPicture> {
  const bytes = trimOf[file.type]?.(file.bytes) ?? file.bytes;
  const header = sharp(bytes, { limitInputPixels: false }).metadata();
  const { autoOrient, icc } = await header.catch((error: unknown) => {
    throw corruptImage(error);
  });
  const { width, height } = autoOrient;
  const size = { width, height };
  checkSize(size, limits);
  return { ...file, bytes, size, usesProfile: icc !== undefined && isPlainProfile(icc) };
}

/** @throws Refusal IMAGE_TOO_MANY_PIXELS */
export function checkSize({ width, height }: Size, limits: ImageLimits): void {
  const check = (value: number, what: string, limit: number): void => {
    if (value <= limit) return;
    const wish = `want at most ${limit}`;
    throw refuseImage('IMAGE_TOO_MANY_PIXELS', `has ${what} (${width} x ${height}), ${wish}`, { value, limit });
  };
  const [pixels, side] = [width * height, Math.max(width, height)];
  check(pixels, `${pixels} pixels`, limits.maxPixels);
  check(side, `a side of ${side} pixels`, limits.maxSide);
}
