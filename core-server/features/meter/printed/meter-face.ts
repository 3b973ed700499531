import type { RgbPicture } from '../../../image/picture.js';
import { samplePixel } from '../../../image/resize/sample-pixel.js';
import { angleOf, centerOf, gridOn, type Quad, rectangle, sizeOf } from '../geometry.js';

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
  const angle = angleOf(counter);
  const along = { x: (Math.cos(angle) * pixels) / 2, y: (Math.sin(angle) * pixels) / 2 };
  const face = { data: new Uint8Array(3 * side * side), width: side, height: side };
  let at = 0;
  for (const point of gridOn(rectangle(centerOf(counter), along, 1), face)) {
    samplePixel(picture, point.x, point.y, face.data, at);
    at += 3;
  }
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
