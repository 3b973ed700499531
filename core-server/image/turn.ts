import sharp from 'sharp';
import type { QuarterTurns, RgbPicture } from './picture.js';

/** Decoded pixels, rotated clockwise by quarter turns. */
export async function turnPicture(picture: RgbPicture, turns: QuarterTurns): Promise<RgbPicture> {
  const { data, width, height } = picture;
  const turned = await sharp(data, { raw: { width, height, channels: 3 } })
    .rotate(turns * 90)
    .raw()
    .toBuffer();
  return turns === 2 ? { data: turned, width, height } : { data: turned, width: height, height: width };
}
