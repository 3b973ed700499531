import { type Region, type RgbPicture, wholeOf } from '../../../image/picture.js';

/** So many levels of a channel more or less are the same colour still: JPEG is not exact. */
const tolerance = 12;
/** A row or column with a larger share of other colours is no part of a bar. */
const maxOther = 0.01;

/** A row or column of pixels: where the first is in the picture's bytes, how far the next, and how many there are. */
interface Line {
  readonly from: number;
  readonly step: number;
  readonly length: number;
}

/** The part of a picture that is within bars of one colour along its edges, as the screenshot of a photo has them. */
export function withinBars(picture: RgbPicture): Region {
  const { data, width, height } = picture;
  const row = (y: number): Line => ({ from: y * width * 3, step: 3, length: width });
  const top = countAlike(data, height, row);
  // All of it is one.
  if (top === height) return wholeOf(picture);
  const bottom = countAlike(data, height - top, (depth) => row(height - 1 - depth));
  const shown = height - top - bottom;
  const column = (x: number): Line => ({ from: (top * width + x) * 3, step: width * 3, length: shown });
  const left = countAlike(data, width, column);
  const right = countAlike(data, width - left, (depth) => column(width - 1 - depth));
  return { left, top, width: width - left - right, height: shown };
}

/** How many lines have the colour of the first, which is at the edge, as far as they go. */
function countAlike(data: Uint8Array, count: number, lineAt: (depth: number) => Line): number {
  const edge = lineAt(0);
  const [red, green, blue] = [0, 1, 2].map((channel) => meanLevel(data, edge, channel)) as [number, number, number];
  for (let depth = 0; depth < count; depth += 1) {
    const { from, step, length } = lineAt(depth);
    let others = 0;
    // By index, since an array for each of a bar's pixels takes longer than the networks.
    for (let at = from; at < from + step * length; at += step) {
      if (differs(data[at], red) || differs(data[at + 1], green) || differs(data[at + 2], blue)) others += 1;
    }
    if (others > maxOther * length) return depth;
  }
  return count;
}

function differs(level = 0, colour: number): boolean {
  return Math.abs(level - colour) > tolerance;
}

function meanLevel(data: Uint8Array, { from, step, length }: Line, channel: number): number {
  let sum = 0;
  for (let at = from; at < from + step * length; at += step) sum += data[at + channel] ?? 0;
  return sum / length;
}
