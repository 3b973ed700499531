import sharp, { type Sharp } from 'sharp';
import type { CropWish } from '../../../core-server/image/crop.js';
import type { ImageLimits } from '../../../core-server/image/picture.js';

/** The service's defaults. */
export const defaultLimits: ImageLimits = { maxBytes: 10 * 1024 * 1024, maxPixels: 50_000_000, maxSide: 16_384 };

/** What is cut without wishes: exactly the box. */
export const plainCrop: CropWish = { margin: 0, format: 'jpeg', isAligned: false };

/** The colours of the four quarters of `quarters`: top left, top right, bottom left, bottom right. */
export const quarterColours = [
  [200, 40, 40],
  [40, 180, 40],
  [40, 40, 200],
  [210, 200, 60],
] as const;

/** A picture of four coloured quarters, so that turning and mirroring show. */
export function quarters(width = 96, height = 64): Sharp {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = quarterColours[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)];
      data.set(colour ?? [], (y * width + x) * 3);
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** The colours in the middles of the four quarters of decoded pixels. */
export function coloursOf(picture: { data: Uint8Array; width: number; height: number }): number[][] {
  const { data, width, height } = picture;
  return [0.25, 0.75].flatMap((v) =>
    [0.25, 0.75].map((u) => {
      const at = (Math.floor(v * height) * width + Math.floor(u * width)) * 3;
      return [...data.subarray(at, at + 3)];
    }),
  );
}

/** The largest difference of two lists of colours in one channel. */
export function colourDistance(a: readonly (readonly number[])[], b: typeof a): number {
  return Math.max(...a.flatMap((colour, i) => colour.map((c, j) => Math.abs(c - (b[i]?.[j] ?? 999)))));
}
