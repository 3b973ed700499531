import type { Region, Size } from '../../../image/picture.js';
import { boundingBoxOf, type Quad } from '../geometry.js';

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
