import type { RgbPicture } from './picture.js';

/**
 * The picture with black below and to the right, so that both sides are multiples of `multiple`:
 * coordinates stay what they were. Itself when they are already.
 */
export function padToMultiple(picture: RgbPicture, multiple: number): RgbPicture {
  const width = Math.ceil(picture.width / multiple) * multiple;
  const height = Math.ceil(picture.height / multiple) * multiple;
  if (width === picture.width && height === picture.height) return picture;
  const data = new Uint8Array(width * height * 3);
  const row = picture.width * 3;
  for (let y = 0; y < picture.height; y += 1) {
    data.set(picture.data.subarray(y * row, (y + 1) * row), y * width * 3);
  }
  return { data, width, height };
}
