import type { RgbPicture } from '../picture.js';

/** Writes the mean of the four pixels nearest to a point, by distance, to `data[out]`; beside the picture, its edge goes on. */
export function samplePixel(picture: RgbPicture, x: number, y: number, data: Uint8Array, out: number): void {
  const { data: pixels, width, height } = picture;
  const column = Math.min(Math.max(x, 0), width - 1);
  const row = Math.min(Math.max(y, 0), height - 1);
  const [left, top] = [Math.floor(column), Math.floor(row)];
  const [right, bottom] = [Math.min(left + 1, width - 1), Math.min(top + 1, height - 1)];
  const [byX, byY] = [column - left, row - top];
  const [upper, lower, across] = [(top * width + left) * 3, (bottom * width + left) * 3, (right - left) * 3];
  for (let channel = 0; channel < 3; channel++) {
    const above = (pixels[upper + channel] ?? 0) * (1 - byX) + (pixels[upper + across + channel] ?? 0) * byX;
    const below = (pixels[lower + channel] ?? 0) * (1 - byX) + (pixels[lower + across + channel] ?? 0) * byX;
    data[out + channel] = Math.round(above * (1 - byY) + below * byY);
  }
}
