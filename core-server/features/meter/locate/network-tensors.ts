import type { Point, Resampling } from '../../../image/picture.js';
import type { Quad } from '../geometry.js';

/** The networks were trained on area averages: sharper pictures cost two readings in a hundred. */
export const asInTraining: Resampling = 'linear';

/** Corners from a network's output. */
export function readQuads(data: Float32Array): Quad[] {
  const point = (at: number): Point => ({ x: data[at] ?? 0, y: data[at + 1] ?? 0 });
  return Array.from({ length: Math.floor(data.length / 8) }, (_, index): Quad => {
    const at = index * 8;
    return [point(at), point(at + 2), point(at + 4), point(at + 6)];
  });
}
