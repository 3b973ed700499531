import type { RgbPicture } from '../../../../core-server/image/picture.js';

/**
 * How red a strip is around one of its columns: the mean of red minus the mean of green and blue,
 * 2 is the full range. Fraction wheels are red, or red round the digit.
 *
 * @param center column in the middle, as a share of the width
 * @param radius columns to either side
 */
export function rednessAt({ data, width, height }: RgbPicture, center: number, radius: number): number {
  const from = Math.max(0, Math.round(center * width - radius));
  const to = Math.min(width, Math.round(center * width + radius) + 1);
  let sum = 0;
  for (let row = 0; row < height; row++) {
    for (let column = from; column < to; column++) {
      const at = (row * width + column) * 3;
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
      sum += red - (green + blue) / 2;
    }
  }
  return sum / 127.5 / (height * Math.max(1, to - from));
}
