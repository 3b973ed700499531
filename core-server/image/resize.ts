import sharp from 'sharp';
import type { Region, Resampling, RgbPicture, Size } from './picture.js';
import { wholeOf } from './picture.js';

/** A part of decoded pixels (the whole, when left out) at another size; the picture itself when nothing changes. */
export async function resizePicture(
  picture: RgbPicture,
  size: Size,
  region: Region = wholeOf(picture),
  kernel: Resampling = 'cubic',
): Promise<RgbPicture> {
  const { data, width, height } = picture;
  const isPart = region.width !== width || region.height !== height;
  if (!isPart && width === size.width && height === size.height) return picture;
  const resized = await sharp(data, { raw: { width, height, channels: 3 } })
    .extract({ ...region })
    .resize(size.width, size.height, { fit: 'fill', kernel })
    .raw()
    .toBuffer();
  return { data: resized, width: size.width, height: size.height };
}
