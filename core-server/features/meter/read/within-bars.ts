import { type Region, type RgbPicture, wholeOf } from '../../../image/picture.js';

/** So many levels of a channel more or less are the same colour still: JPEG is not exact. */
const tolerance = 12;
/** A row or column with a larger share of other colours is no part of a bar. */
const maxOther = 0.01;

/** Where in a picture's bytes the pixels of a row or column are, which is so many from an edge. */
type Lines = (depth: number) => number[];

/** The part of a picture that is within bars of one colour along its edges, as the screenshot of a photo has them. */
export function withinBars(picture: RgbPicture): Region {
  const { width, height } = picture;
  const row = (y: number) => Array.from({ length: width }, (_, x) => (y * width + x) * 3);
  const top = countAlike(picture, height, row);
  // All of it is one.
  if (top === height) return wholeOf(picture);
  const bottom = countAlike(picture, height - top, (depth) => row(height - 1 - depth));
  const shown = height - top - bottom;
  const column = (x: number) => Array.from({ length: shown }, (_, y) => ((top + y) * width + x) * 3);
  const left = countAlike(picture, width, column);
  const right = countAlike(picture, width - left, (depth) => column(width - 1 - depth));
  return { left, top, width: width - left - right, height: shown };
}

/** How many lines have the colour of the one at the edge, as far as they go. */
function countAlike({ data }: RgbPicture, count: number, lines: Lines): number {
  const levelsOf = (at: number) => [0, 1, 2].map((channel) => data[at + channel] ?? 0);
  const edge = lines(0).map(levelsOf);
  const colour = [0, 1, 2].map(
    (channel) => edge.reduce((sum, levels) => sum + (levels[channel] ?? 0), 0) / edge.length,
  );
  const isOther = (at: number) => levelsOf(at).some((level, c) => Math.abs(level - (colour[c] ?? 0)) > tolerance);
  for (let depth = 0; depth < count; depth += 1) {
    const line = lines(depth);
    if (line.filter(isOther).length > maxOther * line.length) return depth;
  }
  return count;
}
