import type { BoundingBox, Point } from '../../generated/imageanalysis/v1/geometry.js';
import { Float, type Json } from './json.js';
import type { Wire } from './wire.js';

/** A box as documented; left out if the core found none. */
export function renderBox(box: Wire<BoundingBox> | null | undefined): Json | undefined {
  if (!box) return undefined;
  return {
    xmax: new Float(box.xmax),
    xmin: new Float(box.xmin),
    ymax: new Float(box.ymax),
    ymin: new Float(box.ymin),
  };
}

export function renderPoint(point: Wire<Point> | null | undefined): Json | undefined {
  return point ? { x: new Float(point.x), y: new Float(point.y) } : undefined;
}
