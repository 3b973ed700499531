import type { Point, RgbPicture } from '../picture.js';

/** Writes the mean of the four pixels nearest to a point, by distance, to `data[out]`; beside the picture, its edge goes on. */
export function samplePixel(picture: RgbPicture, { x, y }: Point, data: Uint8Array, out: number): void {
  const { data: pixels, width, height } = picture;
  const column = Math.min(Math.max(x, 0), width - 1);
  const row = Math.min(Math.max(y, 0), height - 1);
  const [left, top] = [Math.floor(column), Math.floor(row)];
  const [right, bottom] = [Math.min(left + 1, width - 1), Math.min(top + 1, height - 1)];
  const [byX, byY] = [column - left, row - top];
  for (let channel = 0; channel < 3; channel++) {
    const pixel = (atX: number, atY: number): number => pixels[(atY * width + atX) * 3 + channel] ?? 0;
    const above = pixel(left, top) * (1 - byX) + pixel(right, top) * byX;
    const below = pixel(left, bottom) * (1 - byX) + pixel(right, bottom) * byX;
    data[out + channel] = Math.round(above * (1 - byY) + below * byY);
  }
}
