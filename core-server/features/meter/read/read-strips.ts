import type { Point, Region, RgbPicture, Size } from '../../../image/picture.js';
import { copyRegion } from '../../../image/resize/copy-region.js';
import type { RunModel } from '../../../inference/models/sessions.js';
import { floatsOf, pictureTensor } from '../../../inference/models/tensors.js';
import { boundingBoxOf, mapped, type Quad } from '../geometry.js';
import { quadsTensor } from '../locate/network-tensors.js';
import type { Crop, ReaderRules } from '../reader-rules.js';
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
  return {
    fraction: fraction.slice(0, -1),
    untold: fraction.at(-1) ?? 1,
    wheels: [...floatsOf(outputs, 'wheel').data],
  };
}

/** Runs a network that cuts quads from the picture by itself. */
function runOnQuads(run: RunModel, picture: RgbPicture, quads: readonly Quad[]): ReturnType<RunModel> {
  // The network builds a pyramid of its whole input, so it gets no more than the quads need.
  const region = stripRegion(quads, picture);
  const shifted = quads.map((quad) => mapped(quad, ({ x, y }) => ({ x: x - region.left, y: y - region.top })));
  return run({
    image: pictureTensor(copyRegion(picture, region)),
    quads: quadsTensor(shifted),
  });
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

/** Pixels of the picture that one of the pyramid's smallest level covers in each direction. */
const coarsest = 4;
/** Sampling reaches one pixel further than a strip on every level. */
const reach = 2 * coarsest;
/** The pyramid needs this much in each direction. */
const minSide = 4 * coarsest;

/** The region that the strips need, aligned to the pyramid's grid, so that they look as in the whole picture. */
export function stripRegion(quads: readonly Quad[], { width, height }: Size): Region {
  const box = boundingBoxOf(quads, { width, height });
  const range = (min: number, max: number, size: number): [number, number] => {
    const maxFrom = Math.floor(Math.max(0, size - minSide) / coarsest) * coarsest;
    const from = Math.min(Math.floor(Math.max(0, min - reach) / coarsest) * coarsest, maxFrom);
    const to = Math.ceil((max + reach) / coarsest) * coarsest;
    return [from, Math.min(size, Math.max(to, from + minSide))];
  };
  const [left, right] = range(box.xmin, box.xmax, width);
  const [top, bottom] = range(box.ymin, box.ymax, height);
  return { left, top, width: right - left, height: bottom - top };
}
