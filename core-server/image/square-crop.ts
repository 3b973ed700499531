import type { RgbPicture } from './picture.js';

/** A square of a picture; it may reach beyond it. */
export interface Square {
  /** Centre, pixels; the first pixel's centre is 0.5. */
  readonly x: number;
  readonly y: number;
  /** Pixels. */
  readonly side: number;
}

/** What one pixel of the crop takes from a line of the picture. */
interface Taps {
  /** [size][4] places in the line. */
  readonly at: Int32Array;
  /** [size][4]; 0 for a place outside the line. */
  readonly share: Float32Array;
}

const tapsPerPixel = 4;

/**
 * Resamples a square to `size` x `size` pixels, into `out` ([size][size][3]); beyond the picture is
 * black. Each pixel is the mean of two by two bilinear samples, the same as in
 * `models/face/square_crop.py`. Sampled first along the rows, then down the columns: for crops this
 * small that takes half the time of RoiAlign in the graph.
 */
export function cropSquare(
  picture: RgbPicture,
  square: Square,
  size: number,
  out: Uint8Array,
): void {
  const { data, width, height } = picture;
  const across = tapsOf(square.x, square.side, size, width);
  const down = tapsOf(square.y, square.side, size, height);
  const rows = new Map<number, Float32Array>();
  const rowAt = (y: number): Float32Array => {
    let row = rows.get(y);
    if (row === undefined) rows.set(y, (row = sampleRow(data, y * width * 3, across, size)));
    return row;
  };
  const sum = new Float32Array(size * 3);
  for (let y = 0; y < size; y += 1) {
    sum.fill(0.5); // rounds
    for (let tap = y * tapsPerPixel; tap < (y + 1) * tapsPerPixel; tap += 1) {
      const share = down.share[tap] ?? 0;
      if (share === 0) continue;
      const row = rowAt(down.at[tap] ?? 0);
      for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + share * (row[i] ?? 0);
    }
    out.set(sum, y * size * 3);
  }
}

function tapsOf(centre: number, side: number, size: number, length: number): Taps {
  const at = new Int32Array(size * tapsPerPixel);
  const share = new Float32Array(size * tapsPerPixel);
  const step = side / (2 * size);
  for (let sample = 0; sample < 2 * size; sample += 1) {
    const place = centre - side / 2 + (sample + 0.5) * step - 0.5;
    const first = Math.floor(place);
    const part = place - first;
    for (const [i, weight] of [1 - part, part].entries()) {
      const pixel = first + i;
      if (pixel < 0 || pixel >= length) continue;
      at[sample * 2 + i] = pixel;
      share[sample * 2 + i] = weight / 2;
    }
  }
  return { at, share };
}

function sampleRow(
  data: Uint8Array,
  start: number,
  { at, share }: Taps,
  size: number,
): Float32Array {
  const row = new Float32Array(size * 3);
  for (let x = 0; x < size; x += 1) {
    for (let tap = x * tapsPerPixel; tap < (x + 1) * tapsPerPixel; tap += 1) {
      const weight = share[tap] ?? 0;
      const pixel = start + (at[tap] ?? 0) * 3;
      row[x * 3] = (row[x * 3] ?? 0) + weight * (data[pixel] ?? 0);
      row[x * 3 + 1] = (row[x * 3 + 1] ?? 0) + weight * (data[pixel + 1] ?? 0);
      row[x * 3 + 2] = (row[x * 3 + 2] ?? 0) + weight * (data[pixel + 2] ?? 0);
    }
  }
  return row;
}
