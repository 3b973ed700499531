import type { RgbPicture, Size } from '../../../image/picture.js';
import { samplePixel } from '../../../image/resize/sample-pixel.js';
import { angleOf, centerOf, gridOn, type Quad, sizeOf } from '../geometry.js';

/** Side of the square in counter widths: what is printed further away belongs to something else. */
const widths = 3.6;
/** Small print needs more pixels than wheels; the text detector's memory grows with them. */
const maxSide = 960;
/** Larger, pixels would only be repeated. */
const maxScale = 3;
/** OCR joins what stands side by side to one line: the wheels would be part of it. */
const grey = 128;

/** Cuts the face of a meter out of its picture: a square with the counter, level and made grey, in its middle. */
export function cutMeterFace(picture: RgbPicture, counter: Quad): RgbPicture {
  const { width, height } = sizeOf(counter);
  const pixels = Math.max(width * widths, height * 2, 1);
  const side = Math.round(Math.min(maxSide, pixels * maxScale));
  const center = centerOf(counter);
  const angle = angleOf(counter);
  const corner = (s: number, t: number) => ({
    x: center.x + (pixels / 2) * (s * Math.cos(angle) - t * Math.sin(angle)),
    y: center.y + (pixels / 2) * (s * Math.sin(angle) + t * Math.cos(angle)),
  });
  const square: Quad = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
  const face = sampleQuad(picture, square, { width: side, height: side });
  const scale = side / pixels;
  const range = (length: number): [number, number] => [
    Math.max(0, Math.floor((side - length * scale) / 2)),
    Math.min(side, Math.ceil((side + length * scale) / 2)),
  ];
  const [left, right] = range(width);
  const [top, bottom] = range(height);
  for (let y = top; y < bottom; y++) face.data.fill(grey, (y * side + left) * 3, (y * side + right) * 3);
  return face;
}

/**
 * Cuts a quad out of a picture as an upright picture of that size, sampled bilinearly; outside, the
 * picture's edge goes on. The quad is taken as a parallelogram with one bilinear patch: text boxes
 * are rectangles, so that no perspective is lost.
 */
export function sampleQuad(image: RgbPicture, quad: Quad, { width, height }: Size): RgbPicture {
  const data = new Uint8Array(3 * width * height);
  let at = 0;
  for (const point of gridOn(quad, { width, height })) {
    samplePixel(image, point, data, at);
    at += 3;
  }
  return { data, width, height };
}
