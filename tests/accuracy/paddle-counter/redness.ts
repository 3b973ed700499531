/**
 * How red a strip is around one of its columns: the mean of red minus the mean of green and blue,
 * in the strip's own units (2 is the full range). Fraction wheels are red, or red round the digit.
 *
 * @param strip planes B, G, R of `height` × `width` values
 * @param center column in the middle, as a share of the width
 * @param radius columns to either side
 */
export function rednessAt(
  strip: Float32Array,
  size: { width: number; height: number },
  center: number,
  radius: number,
): number {
  const plane = size.width * size.height;
  const from = Math.max(0, Math.round(center * size.width - radius));
  const to = Math.min(size.width, Math.round(center * size.width + radius) + 1);
  let sum = 0;
  for (let row = 0; row < size.height; row++) {
    for (let column = from; column < to; column++) {
      const at = row * size.width + column;
      const blue = strip[at] ?? 0;
      const green = strip[plane + at] ?? 0;
      const red = strip[2 * plane + at] ?? 0;
      sum += red - (green + blue) / 2;
    }
  }
  return sum / (size.height * Math.max(1, to - from));
}
