import type { Box, Point, Size } from '../../image/picture.js';

/** Corners in reading order: top left, top right, bottom right, bottom left as one reads. */
export type Quad = readonly [Point, Point, Point, Point];

/** Point at share `t` of the way from `a` to `b`. */
export function between(a: Point, b: Point, t: number): Point {
  return { x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t };
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(b.x - a.x, b.y - a.y);
}

export function centerOf(quad: Quad): Point {
  const [a, b, c, d] = quad;
  return { x: (a.x + b.x + c.x + d.x) / 4, y: (a.y + b.y + c.y + d.y) / 4 };
}

/** Length along the reading direction and height across it, pixels. */
export function sizeOf(quad: Quad): Size {
  const [a, b, c, d] = quad;
  return { width: (distance(a, b) + distance(d, c)) / 2, height: (distance(a, d) + distance(b, c)) / 2 };
}

/** Reading direction in radians: 0 is left to right, positive turns clockwise as one sees it. */
export function angleOf(quad: Quad): number {
  const [a, b, c, d] = quad;
  return Math.atan2(b.y + c.y - a.y - d.y, b.x + c.x - a.x - d.x);
}

/** The rectangle around a centre, given half of its length as a vector, and its height over its length. */
export function rectangle(center: Point, along: Point, aspect: number): Quad {
  const down = { x: -along.y * aspect, y: along.x * aspect };
  const corner = (right: number, below: number): Point => ({
    x: center.x + right * along.x + below * down.x,
    y: center.y + right * along.y + below * down.y,
  });
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

/** The point at share `x` of the way along a quad and `y` of the way down, without perspective. */
export function pointOn([a, b, c, d]: Quad, { x, y }: Point): Point {
  return between(between(a, b, x), between(d, c, x), y);
}

/** Evenly spread points of a quad, row by row, as of a picture of that size stretched over it without perspective. */
export function* gridOn(quad: Quad, { width, height }: Size): Generator<Point> {
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      yield pointOn(quad, { x: (column + 0.5) / width, y: (row + 0.5) / height });
    }
  }
}

/** Whether a point lies on the box that has the quad's centre, size and direction. */
export function isOn(quad: Quad, point: Point): boolean {
  const { width, height } = sizeOf(quad);
  const center = centerOf(quad);
  const dx = point.x - center.x;
  const dy = point.y - center.y;
  const angle = angleOf(quad);
  const along = dx * Math.cos(angle) + dy * Math.sin(angle);
  const across = dy * Math.cos(angle) - dx * Math.sin(angle);
  return Math.abs(along) < width / 2 && Math.abs(across) < height / 2;
}

/** The same box read upside down. */
export function turned(quad: Quad): Quad {
  const [a, b, c, d] = quad;
  return [c, d, a, b];
}

/** The same box upside down, its left still left. */
export function mirrored(quad: Quad): Quad {
  const [a, b, c, d] = quad;
  return [d, c, b, a];
}

/** The part of a quad between two shares of its length. */
export function sliceOf(quad: Quad, from: number, to: number): Quad {
  const [a, b, c, d] = quad;
  return [between(a, b, from), between(a, b, to), between(d, c, to), between(d, c, from)];
}

/** Smallest upright box around the quads, clamped to a picture of that size. */
export function boundingBoxOf(quads: readonly Quad[], picture: Size): Box {
  const points = quads.flat();
  const clamp = (value: number, max: number): number => Math.min(Math.max(value, 0), max);
  return {
    xmin: clamp(Math.min(...points.map((p) => p.x)), picture.width),
    ymin: clamp(Math.min(...points.map((p) => p.y)), picture.height),
    xmax: clamp(Math.max(...points.map((p) => p.x)), picture.width),
    ymax: clamp(Math.max(...points.map((p) => p.y)), picture.height),
  };
}

/** The same quad in a copy of another size. Each axis has its own scale, since each side was rounded by itself. */
export function resized(quad: Quad, from: Size, to: Size): Quad {
  return mapped(quad, ({ x, y }) => ({ x: (x * to.width) / from.width, y: (y * to.height) / from.height }));
}

/** Every corner through a function. */
export function mapped(quad: Quad, move: (point: Point) => Point): Quad {
  const [a, b, c, d] = quad;
  return [move(a), move(b), move(c), move(d)];
}
