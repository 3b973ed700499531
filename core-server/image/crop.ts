import sharp from 'sharp';
import { decodeRegion } from './decode/decode.js';
import type { Box, OpenPicture, Region, RgbPicture, Size } from './picture.js';

const jpegQuality = 90;
// Two, so that one is read while the other is compressed; other workers need the CPU cores too.
const parallelCrops = 2;

/**
 * Crops each box from the picture at its own resolution: JPEG of quality 90 without metadata, in
 * the order of the boxes. Without `source.whole`, the part that holds all boxes is decoded once.
 *
 * @throws Refusal CORRUPT_IMAGE
 */
export async function cropBoxes(source: OpenPicture, boxes: readonly Box[]): Promise<Uint8Array[]> {
  if (boxes.length === 0) return [];
  const regions = boxes.map((box) => wholePixels(box, source.size));
  const around = source.whole ? { left: 0, top: 0, ...source.size } : unionOf(regions);
  const picture = source.whole ?? (await decodeRegion(source, around));
  const crops = new Array<Uint8Array>(regions.length);
  const rest = regions.entries();
  const cutNext = async (): Promise<void> => {
    for (const [index, region] of rest) {
      crops[index] = await cutJpeg(picture, {
        ...region,
        left: region.left - around.left,
        top: region.top - around.top,
      });
    }
  };
  await Promise.all(Array.from({ length: parallelCrops }, cutNext));
  return crops;
}

/** The box in whole pixels: edges rounded, inside the picture, at least one pixel wide and high. */
export function wholePixels(box: Box, size: Size): Region {
  const left = Math.min(Math.max(0, Math.round(box.xmin)), size.width - 1);
  const top = Math.min(Math.max(0, Math.round(box.ymin)), size.height - 1);
  const right = Math.min(Math.max(left + 1, Math.round(box.xmax)), size.width);
  const bottom = Math.min(Math.max(top + 1, Math.round(box.ymax)), size.height);
  return { left, top, width: right - left, height: bottom - top };
}

/** The smallest region that contains all of them; there must be at least one. */
export function unionOf(regions: readonly Region[]): Region {
  const left = Math.min(...regions.map((r) => r.left));
  const top = Math.min(...regions.map((r) => r.top));
  const right = Math.max(...regions.map((r) => r.left + r.width));
  const bottom = Math.max(...regions.map((r) => r.top + r.height));
  return { left, top, width: right - left, height: bottom - top };
}

function cutJpeg(picture: RgbPicture, region: Region): Promise<Uint8Array> {
  const { data, width, height } = picture;
  return sharp(data, { raw: { width, height, channels: 3 } })
    .extract(region)
    .jpeg({ quality: jpegQuality })
    .toBuffer();
}
