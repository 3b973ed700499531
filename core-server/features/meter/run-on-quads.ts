import type { Point, Region, Resampling, RgbPicture, Size } from '../../image/picture.js';
import { copyRegion } from '../../image/resize/copy-region.js';
import type { RunModel, TensorData } from '../../inference/models/sessions.js';
import { floatsOf, pictureTensor } from '../../inference/models/tensors.js';
import { boundingBoxOf, mapped, type Quad } from './geometry.js';

/** The networks were trained on area averages: sharper pictures cost two readings in a hundred. */
export const asInTraining: Resampling = 'linear';

/** Runs a network that cuts quads from the picture by itself. */
export function runOnQuads(run: RunModel, picture: RgbPicture, quads: readonly Quad[]): ReturnType<RunModel> {
  // The network builds a pyramid of its whole input, so it gets no more than the quads need.
  const region = regionOf(quads, picture);
  const shifted = quads.map((quad) => mapped(quad, ({ x, y }) => ({ x: x - region.left, y: y - region.top })));
  return run({ image: pictureTensor(copyRegion(picture, region)), quads: quadsTensor(shifted) });
}

/** Corners as input for a network: float32 [N, 4, 2]. */
function quadsTensor(quads: readonly Quad[]): TensorData {
  const data = Float32Array.from(quads.flatMap((quad) => quad.flatMap(({ x, y }) => [x, y])));
  return { type: 'float32', data, dims: [quads.length, 4, 2] };
}

/** Corners from the output of that name. */
export function quadsOf(outputs: Readonly<Record<string, TensorData>>, name: string): Quad[] {
  const { data } = floatsOf(outputs, name);
  const point = (at: number): Point => ({ x: data[at] ?? 0, y: data[at + 1] ?? 0 });
  return Array.from({ length: Math.floor(data.length / 8) }, (_, index): Quad => {
    const at = index * 8;
    return [point(at), point(at + 2), point(at + 4), point(at + 6)];
  });
}

/** Pixels of the picture that one of the pyramid's smallest level covers in each direction. */
const coarsest = 4;
/** Sampling reaches one pixel further than a quad on every level. */
const reach = 2 * coarsest;
/** The pyramid needs this much in each direction. */
const minSide = 4 * coarsest;

/** The region that the quads need, aligned to the pyramid's grid, so that they look as in the whole picture. */
export function regionOf(quads: readonly Quad[], { width, height }: Size): Region {
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
