import type { Region, RgbPicture } from './picture.js';

/** A part of decoded pixels, copied; the picture itself where the part is all of it. */
export function copyRegion(picture: RgbPicture, region: Region): RgbPicture {
  const { left, top, width, height } = region;
  if (width === picture.width && height === picture.height) return picture;
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const from = ((top + y) * picture.width + left) * 3;
    data.set(picture.data.subarray(from, from + width * 3), y * width * 3);
  }
  return { data, width, height };
}
