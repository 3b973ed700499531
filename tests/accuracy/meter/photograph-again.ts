import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { createMulberry32 } from '../../../bench/measure/mulberry32.js';

/** Where the counter is, its four corners in pixels; null if that is not labelled. */
type Counter = readonly (readonly [x: number, y: number])[] | null;

/**
 * Simulates another photo of what a photo shows, as a hand-held phone takes it: further away, tilted and sheared, moved
 * or out of focus, dim, noisy, half of them with a lamp mirrored on the counter. The same seed gives the same photo.
 */
export async function photographAgain(path: string, counter: Counter, seed: number): Promise<Buffer> {
  const random = createMulberry32(seed);
  const within = (from: number, to: number): number => from + (to - from) * random();
  const upright = sharp(await readFile(path)).removeAlpha();
  const { width, height } = await upright.metadata();
  const glare = random() < 0.5 ? glareOn(counter, width, height, within) : [];
  const lit = await upright.composite(glare).linear(within(0.5, 1.1), within(-10, 10)).png().toBuffer();
  const turned = await sharp(lit)
    .affine([1, within(-0.1, 0.1), within(-0.1, 0.1), within(0.85, 1.15)], { background: '#303030' })
    .rotate(within(-10, 10), { background: '#303030' })
    .toBuffer();
  const scale = within(0.6, 1);
  const small = sharp(turned).resize({ width: Math.round(width * scale) });
  const moved = random() < 0.5 ? small.convolve(motionKernel(within(0, 3) < 2 ? 3 : 5)) : small;
  const blurred = await moved.blur(within(0.3, 1)).raw().toBuffer({ resolveWithObject: true });
  const { data, info } = blurred;
  const sigma = within(2, 8);
  for (let at = 0; at < data.length; at += 1) {
    data[at] = Math.max(0, Math.min(255, Math.round((data[at] ?? 0) + sigma * gaussian(random))));
  }
  const { width: w, height: h } = info;
  return sharp(data, { raw: { width: w, height: h, channels: 3 } })
    .jpeg({ quality: Math.round(within(35, 85)) })
    .toBuffer();
}

/** A round white spot somewhere on the counter, soft at its edge, about two wheels wide. */
function glareOn(counter: Counter, width: number, height: number, within: (from: number, to: number) => number) {
  const [a, b, c] = counter ?? [
    [width * 0.3, height * 0.45],
    [width * 0.7, height * 0.45],
    [width * 0.7, height * 0.55],
  ];
  if (!a || !b || !c) return [];
  const [along, down] = [within(0, 1), within(0, 1)];
  const x = a[0] + (b[0] - a[0]) * along + (c[0] - b[0]) * down;
  const y = a[1] + (b[1] - a[1]) * along + (c[1] - b[1]) * down;
  const radius = Math.max(4, Math.round(Math.hypot(b[0] - a[0], b[1] - a[1]) * within(0.04, 0.1)));
  const side = 2 * radius;
  const left = Math.round(x - radius);
  const top = Math.round(y - radius);
  // sharp composes no overlay that is beyond an edge on the left or above, or larger than the picture.
  if (left < 0 || top < 0 || left + side > width || top + side > height) return [];
  const input = Buffer.alloc(side * side * 4, 255);
  for (let at = 0; at < side * side; at += 1) {
    const distance = Math.hypot((at % side) - radius, Math.floor(at / side) - radius) / radius;
    input[at * 4 + 3] = Math.round(255 * Math.max(0, Math.min(1, 1.6 * (1 - distance))));
  }
  return [{ input, raw: { width: side, height: side, channels: 4 as const }, left, top }];
}

/** Movement from left to right over an odd number of pixels. */
function motionKernel(width: number) {
  const row = Array.from({ length: width }, () => 1);
  const rows = Array.from({ length: width }, (_, at) => (at === (width - 1) / 2 ? row : row.map(() => 0)));
  return { width, height: width, kernel: rows.flat() };
}

/** A normal deviate (Box and Muller, 1958). */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
