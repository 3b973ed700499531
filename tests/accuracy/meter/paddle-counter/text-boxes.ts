import type { Quad } from '../../../../core-server/features/meter/geometry.js';
import type { Point } from '../../../../core-server/image/picture.js';
import { minAreaRect } from './min-area-rect.js';

/** A probability for each pixel that it belongs to text. */
interface ProbabilityMap {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

interface TextBoxOptions {
  /** A pixel above this is text. */
  readonly pixelThreshold: number;
  /** A box is kept from this mean probability on. */
  readonly boxThreshold: number;
  /**
   * The map shows shrunk kernels of the text; a box is grown by area × ratio / perimeter
   * (DB, Liao et al. 2020, section 3.5; 1.5 is the paper's and PaddleOCR's value).
   */
  readonly unclipRatio: number;
  /** Thinner boxes are dropped, pixels. */
  readonly minHeight: number;
}

/** Finds the boxes of text in the map of a DB text detector, in its pixels: rotated rectangles round its islands. */
export function findTextBoxes(map: ProbabilityMap, options: TextBoxOptions): Quad[] {
  const seen = new Uint8Array(map.width * map.height);
  const boxes: Quad[] = [];
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] === 1 || (map.data[start] ?? 0) <= options.pixelThreshold) continue;
    const island = floodFill(map, start, options.pixelThreshold, seen);
    if (island.score < options.boxThreshold) continue;
    let height = 0;
    const quad = minAreaRect(island.outline, (w, h) => {
      height = Math.min(w, h);
      return (w * h * options.unclipRatio) / (2 * (w + h));
    });
    if (quad && height >= options.minHeight) boxes.push(quad);
  }
  return boxes;
}

/** Marks the island that `start` lies on; gives the ends of its rows (enough for its hull). */
function floodFill(
  map: ProbabilityMap,
  start: number,
  threshold: number,
  seen: Uint8Array,
): { outline: Point[]; score: number } {
  const { data, width, height } = map;
  const rows = new Map<number, { min: number; max: number }>();
  const stack = [start];
  seen[start] = 1;
  let sum = 0;
  let count = 0;
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    const x = index % width;
    const y = (index - x) / width;
    sum += data[index] ?? 0;
    count++;
    const row = rows.get(y);
    if (!row) rows.set(y, { min: x, max: x });
    else if (x < row.min) row.min = x;
    else if (x > row.max) row.max = x;
    const visit = (next: number): void => {
      if (seen[next] === 1 || (data[next] ?? 0) <= threshold) return;
      seen[next] = 1;
      stack.push(next);
    };
    if (x > 0) visit(index - 1);
    if (x + 1 < width) visit(index + 1);
    if (y > 0) visit(index - width);
    if (y + 1 < height) visit(index + width);
  }
  const outline = [...rows].flatMap(([y, { min, max }]) => [
    { x: min, y },
    { x: max, y },
  ]);
  return { outline, score: sum / count };
}
