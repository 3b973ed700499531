import type { RgbPicture } from '../../../image/picture.js';
import type { Quad } from '../geometry.js';

/**
 * Cuts a quad out of a picture as an upright strip, sampled bilinearly; outside, the picture's
 * edge goes on. The quad is taken as a parallelogram with one bilinear patch: text boxes are
 * rectangles, so that no perspective is lost.
 *
 * @returns planes B, G, R of `height` × `width` values, (value / 255 - 0.5) / 0.5
 */
export function sampleQuad(
  image: RgbPicture,
  quad: Quad,
  width: number,
  height: number,
): Float32Array {
  const [a, b, c, d] = quad;
  const plane = width * height;
  const out = new Float32Array(3 * plane);
  const right = image.width - 1;
  const bottom = image.height - 1;
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
      const x1 = Math.min(x0 + 1, right);
      const y1 = Math.min(y0 + 1, bottom);
      const at = row * width + column;
      for (let channel = 0; channel < 3; channel++) {
        const pixel = (px: number, py: number): number =>
          image.data[(py * image.width + px) * 3 + channel] ?? 0;
        const value =
          (1 - fy) * ((1 - fx) * pixel(x0, y0) + fx * pixel(x1, y0)) +
          fy * ((1 - fx) * pixel(x0, y1) + fx * pixel(x1, y1));
        out[(2 - channel) * plane + at] = value / 127.5 - 1;
      }
    }
  }
  return out;
}
