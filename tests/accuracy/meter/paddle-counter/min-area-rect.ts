import type { Quad } from '../../../../core-server/features/meter/geometry.js';
import type { Point } from '../../../../core-server/image/picture.js';

/** Convex hull by Andrew's monotone chain, in turning order. */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (ordered: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const p of ordered) {
      for (;;) {
        const b = chain.at(-1);
        const a = chain.at(-2);
        if (!a || !b || (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const hull = [...half(sorted), ...half(sorted.reverse())];
  return hull.length > 0 ? hull : sorted.slice(0, 1);
}

/**
 * Rectangle of least area around the points: one of its sides lies on a side of the hull.
 *
 * @param grow pixels that every side is moved outwards
 * @returns corners so that the longer side runs along the reading direction, which points right
 *   (or up, for a box that stands on its end); null for fewer than three points off a line
 */
export function minAreaRect(points: readonly Point[], grow: (w: number, h: number) => number): Quad | null {
  const hull = convexHull(points);
  let best: { area: number; ux: number; uy: number; u: Range; v: Range } | null = null;
  for (const [i, a] of hull.entries()) {
    const b = hull[(i + 1) % hull.length];
    if (!b) continue;
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length === 0) continue;
    const ux = (b.x - a.x) / length;
    const uy = (b.y - a.y) / length;
    const u = rangeOf(hull.map((p) => p.x * ux + p.y * uy));
    const v = rangeOf(hull.map((p) => p.y * ux - p.x * uy));
    const area = (u.max - u.min) * (v.max - v.min);
    if (!best || area < best.area) best = { area, ux, uy, u, v };
  }
  if (!best || best.area === 0) return null;
  const { ux, uy, u, v } = best;
  const by = grow(u.max - u.min, v.max - v.min);
  const at = (s: number, t: number): Point => ({ x: s * ux - t * uy, y: s * uy + t * ux });
  const u0 = u.min - by;
  const u1 = u.max + by;
  const v0 = v.min - by;
  const v1 = v.max + by;
  return readable([at(u0, v0), at(u1, v0), at(u1, v1), at(u0, v1)]);
}

interface Range {
  min: number;
  max: number;
}

function rangeOf(values: readonly number[]): Range {
  return { min: Math.min(...values), max: Math.max(...values) };
}

/** Starts the corners so that the first side is the longer one and points right, else up. */
function readable(corners: [Point, Point, Point, Point]): Quad {
  const [a, b, c, d] = corners;
  const long = Math.hypot(b.x - a.x, b.y - a.y) >= Math.hypot(d.x - a.x, d.y - a.y);
  const [p, q, r, s] = long ? [a, b, c, d] : [b, c, d, a];
  const dx = q.x - p.x;
  const dy = q.y - p.y;
  const forward = Math.abs(dx) >= Math.abs(dy) ? dx > 0 : dy < 0;
  return forward ? [p, q, r, s] : [r, s, p, q];
}
