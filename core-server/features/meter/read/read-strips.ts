import type { Point, RgbPicture } from '../../../image/picture.js';
import type { RunModel } from '../../../inference/models/sessions.js';
import { floatsOf } from '../../../inference/models/tensors.js';
import { centerOf, type Quad, sliceOf } from '../geometry.js';
import type { Crop, ReaderRules } from '../reader-rules.js';
import { runOnQuads } from '../run-on-quads.js';
import type { Marks, ReadStrip } from './hypothesis.js';

/** Crops the quads from the picture and reads each as a strip, in one run. */
export async function readStrips(run: RunModel, picture: RgbPicture, quads: readonly Quad[]): Promise<ReadStrip[]> {
  if (quads.length === 0) return [];
  const outputs = await runOnQuads(run, picture, quads);
  const { data, dims } = floatsOf(outputs, 'probs');
  const legible = floatsOf(outputs, 'legible').data;
  const steps = dims[1] ?? 0;
  const size = steps * (dims[2] ?? 0);
  return quads.map((_, index) => ({
    data: data.subarray(index * size, (index + 1) * size),
    steps,
    legible: legible[index] ?? 0,
  }));
}

/** Looks at each wheel of a counter, given the quads of all. */
export async function readMarks(
  run: RunModel,
  picture: RgbPicture,
  wheels: readonly Quad[],
  { cell }: ReaderRules,
): Promise<Marks> {
  const cells = wheels.map((quad) => expand(quad, { sx: 1, sy: 1, dy: 0, ...cell }));
  const outputs = await runOnQuads(run, picture, cells);
  const fraction = [...floatsOf(outputs, 'fraction').data];
  const digit = floatsOf(outputs, 'digit').data;
  return {
    fraction: fraction.slice(0, -1),
    untold: fraction.at(-1) ?? 1,
    wheels: [...floatsOf(outputs, 'wheel').data],
    digits: cells.map((_, at) => digit.subarray(10 * at, 10 * (at + 1))),
  };
}

/**
 * Whether there is a wheel two places before the first one: where light mirrored in the glass covers a wheel, what is
 * right of that reads as a whole counter.
 */
export async function isWheelBefore(
  run: RunModel,
  picture: RgbPicture,
  first: Quad,
  rules: ReaderRules,
): Promise<boolean> {
  const place = sliceOf(first, -2, -1);
  const { x, y } = centerOf(place);
  if (x <= 0 || y <= 0 || x >= picture.width || y >= picture.height) return false;
  // The first one shows how a wheel of this counter looks: print is less often taken for one.
  const { wheels, digits } = await readMarks(run, picture, [place, first], rules);
  return Math.min(wheels[0] ?? 0, Math.max(...Array.from(digits[0] ?? []))) >= rules.seenBefore;
}

/** A counter's quad grown along its own sides: margins, then scales, then a shift down. */
export function expand(quad: Quad, { mx, my, sx, sy, dy }: Crop): Quad {
  const [a, b, c, d] = quad;
  const outX = ((1 + 2 * mx) * sx - 1) / 2;
  const outY = ((1 + 2 * my) * sy - 1) / 2;
  const moved = (p: Point, [from, to]: [Point, Point], x: number, [up, down]: [Point, Point], y: number): Point => ({
    x: p.x + (to.x - from.x) * x + (down.x - up.x) * y,
    y: p.y + (to.y - from.y) * x + (down.y - up.y) * y,
  });
  return [
    moved(a, [a, b], -outX, [a, d], dy - outY),
    moved(b, [a, b], outX, [b, c], dy - outY),
    moved(c, [d, c], outX, [b, c], dy + outY),
    moved(d, [d, c], -outX, [a, d], dy + outY),
  ];
}
