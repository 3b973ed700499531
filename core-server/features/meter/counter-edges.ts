import type { Point, Region } from '../../image/picture.js';
import type { CounterReading } from './counter-reading.js';
import { between, distance, sizeOf } from './geometry.js';

/** A counter that ends nearer to an edge of the photo than this, in wheels, may go on behind it. */
const leastBeside = 0.75;
/**
 * Unless there is less than this above and below it, in wheel heights: such a picture was cut out around a counter that
 * somebody saw whole.
 */
const leastAround = 2;

/**
 * Whether wheels may be outside the photo, at either end of the counter. What is left of a counter reads as one, by all
 * that the networks see.
 *
 * @param shown the photo within the picture that the wheels' places are in
 */
export function mayGoOnOutside({ wheels }: Pick<CounterReading, 'wheels'>, shown: Region): boolean {
  const [first, last] = [wheels[0]?.quad, wheels.at(-1)?.quad];
  if (!first || !last) return false;
  const left = between(first[0], first[3], 0.5);
  const right = between(last[1], last[2], 0.5);
  const { width, height } = sizeOf(first);
  const along = { x: right.x - left.x, y: right.y - left.y };
  const beside = Math.min(toEdge(right, along, shown), toEdge(left, opposite(along), shown));
  const across = { x: -along.y, y: along.x };
  const middle = between(left, right, 0.5);
  const around = toEdge(middle, across, shown) + toEdge(middle, opposite(across), shown) - height;
  return beside < leastBeside * width && around >= leastAround * height;
}

/** How far the photo's edge is in a direction; negative for a point beyond it. */
function toEdge(from: Point, direction: Point, { left, top, width, height }: Region): number {
  const steps = (at: number, by: number, max: number) =>
    by === 0 ? Infinity : (by > 0 ? max - at : at) / Math.abs(by);
  const length = distance({ x: 0, y: 0 }, direction);
  return length * Math.min(steps(from.x - left, direction.x, width), steps(from.y - top, direction.y, height));
}

function opposite({ x, y }: Point): Point {
  return { x: -x, y: -y };
}
