import type { RgbPicture } from '../picture.js';
import { copyRegion } from './copy-region.js';

/**
 * The picture with black below and to the right, so that both sides are multiples of `multiple`.
 * Coordinates do not change. Returns the same picture if no padding is needed.
 */
export function padToMultiple(picture: RgbPicture, multiple: number): RgbPicture {
  const width = Math.ceil(picture.width / multiple) * multiple;
  const height = Math.ceil(picture.height / multiple) * multiple;
  return copyRegion(picture, { left: 0, top: 0, width, height });
}
