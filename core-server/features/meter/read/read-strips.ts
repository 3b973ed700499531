import type { Point, RgbPicture } from '../../../image/picture.js';
import type { RunModel } from '../../../inference/models/sessions.js';
import { floatsOf } from '../../../inference/models/tensors.js';
import type { Quad } from '../geometry.js';
import type { Crop, ReaderRules } from '../reader-rules.js';
import { runOnQuads } from '../run-on-quads.js';
import type { Hypothesis, Marks, ReadStrip } from './hypothesis.js';
import { wheelQuads, wheelsOf } from './wheels.js';

/** Crops the quads from the picture and reads each as a strip, in one run. */
export async function readStrips(run: RunModel, picture: RgbPicture, quads: readonly Quad[]): Promise<ReadStrip[]> {
  if (quads.length === 0) return [];
  const outputs = await runOnQuads(run, picture, quads);
  const { data, dims } = floatsOf(outputs, 'probs');
  const legible = floatsOf(outputs, 'legible').data;
  const steps = dims[1] ?? 0;
  const size = steps * (dims[2] ?? 0);
  return quads.map((_, index) => ({
    probabilities: { data: data.subarray(index * size, (index + 1) * size), steps },
    legible: legible[index] ?? 0,
  }));
}

export async function readMarks(
  run: RunModel,
  picture: RgbPicture,
  hypothesis: Hypothesis,
  text: string,
  rules: ReaderRules,
): Promise<Marks> {
  const centers = wheelsOf(hypothesis, text).map(({ center }) => center);
  const cell = { sx: 1, sy: 1, dy: 0, ...rules.cell };
  const cells = wheelQuads(hypothesis.quad, centers, rules).map((quad) => expand(quad, cell));
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
