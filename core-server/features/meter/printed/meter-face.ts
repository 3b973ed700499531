import type { RgbPicture, Size } from '../../../image/picture.js';
import { angleOf, centerOf, type Quad, sizeOf } from '../geometry.js';

/** Side of the square in counter widths: what is printed further away belongs to something else. */
const widths = 3.6;
/** Small print needs more pixels than wheels; the text detector's memory grows with them. */
const maxSide = 960;
/** Larger, pixels would only be repeated. */
const maxScale = 3;
/** OCR joins what stands side by side to one line: the wheels would be part of it. */
const grey = 128;

/**
 * Cuts the face of a meter out of its picture: a square with the counter level in its middle, where the counter itself
 * is grey.
 */
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
  const [a, b, c, d] = quad;
  const data = new Uint8ClampedArray(3 * width * height);
  const right = image.width - 1;
  const bottom = image.height - 1;
  const step = image.width * 3;
  let at = 0;
  for (let row = 0; row < height; row++) {
    const t = (row + 0.5) / height;
    for (let column = 0; column < width; column++) {
      const s = (column + 0.5) / width;
      const x = (1 - t) * ((1 - s) * a.x + s * b.x) + t * ((1 - s) * d.x + s * c.x);
      const y = (1 - t) * ((1 - s) * a.y + s * b.y) + t * ((1 - s) * d.y + s * c.y);
      const cx = Math.min(Math.max(x, 0), right);
      const cy = Math.min(Math.max(y, 0), bottom);
      const x0 = Math.floor(cx);
      const y0 = Math.floor(cy);
      const fx = cx - x0;
      const fy = cy - y0;
      const above = y0 * step + x0 * 3;
      const toRight = x0 < right ? 3 : 0;
      const below = above + (y0 < bottom ? step : 0);
      for (let channel = 0; channel < 3; channel++) {
        const pixel = (index: number): number => image.data[index + channel] ?? 0;
        data[at++] =
          (1 - fy) * ((1 - fx) * pixel(above) + fx * pixel(above + toRight)) +
          fy * ((1 - fx) * pixel(below) + fx * pixel(below + toRight));
      }
    }
  }
  return { data: new Uint8Array(data.buffer), width, height };
}
