import type { Region, RgbPicture } from '../picture.js';

/** A copy of a region, which must overlap the picture, black outside of it; the picture itself if that is all of it. */
export function copyRegion(picture: RgbPicture, region: Region): RgbPicture {
  const { left, top, width, height } = region;
  const isWhole = width === picture.width && height === picture.height;
  if (isWhole && left === 0 && top === 0) return picture;
  const data = new Uint8Array(width * height * 3);
  const from = Math.max(0, left);
  const to = Math.min(picture.width, left + width);
  const bottom = Math.min(picture.height, top + height);
  for (let y = Math.max(0, top); y < bottom; y++) {
    const row = y * picture.width;
    const pixels = picture.data.subarray((row + from) * 3, (row + to) * 3);
    data.set(pixels, ((y - top) * width + from - left) * 3);
  }
  return { data, width, height };
}

/** The picture with black below and to the right, so that both sides are multiples; itself if they are. */
export function padToMultiple(picture: RgbPicture, multiple: number): RgbPicture {
  const width = Math.ceil(picture.width / multiple) * multiple;
  const height = Math.ceil(picture.height / multiple) * multiple;
  return copyRegion(picture, { left: 0, top: 0, width, height });
}
