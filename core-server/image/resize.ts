import sharp from 'sharp';
import type { RgbPicture, Size } from './picture.js';

/** The picture at another size; itself when the size is the same. */
export async function resizePicture(picture: RgbPicture, size: Size): Promise<RgbPicture> {
  const { data, width, height } = picture;
  if (width === size.width && height === size.height) return picture;
  const resized = await sharp(data, { raw: { width, height, channels: 3 } })
    .resize(size.width, size.height, { fit: 'fill' })
    .raw()
    .toBuffer();
  return { data: resized, width: size.width, height: size.height };
}
