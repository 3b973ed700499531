import { refuseImage, unsupportedImage } from '../../refuse-image.js';
import type { Cursor } from '../cursor.js';
import { readAvifItems } from './avif-items.js';

/** Whether libheif takes no other memory or time for an item than for its pixels. */
const plainTypes = new Set(['av01', 'grid', 'tmap', 'Exif', 'mime', 'uri ']);
/** Of the picture, its alpha channel and its gain map. Grids of grids can decode each tile many times. */
const maxGrids = 4;
/** A picture of the largest size may have an alpha channel of that size. */
const pixelsPerPixel = 2;

/**
 * Pixels that libheif may decode to show an AVIF: those of all pictures, tiles and layers in it, whatever its size. It
 * decodes each tile whole, four at a time, however little the grid shows of it, and makes no grid that is larger than
 * its tiles.
 *
 * @throws Refusal UNSUPPORTED_IMAGE_TYPE, IMAGE_TOO_MANY_PIXELS or CORRUPT_IMAGE
 */
export function avifPixels(file: Cursor, maxPixels: number): number {
  const items = readAvifItems(file);
  const grids = items.filter(({ type }) => type === 'grid').length;
  if (grids > maxGrids || items.some(({ type }) => !plainTypes.has(type)))
    throw unsupportedImage('avif', 'is an AVIF composed in an unusual way, want one picture or one grid of tiles');
  const pixels = items.reduce((sum, item) => sum + item.pixels, 0);
  const limit = pixelsPerPixel * maxPixels;
  if (pixels > limit) {
    const what = `has ${pixels} pixels with all tiles, layers and channels, want at most ${limit}`;
    throw refuseImage('IMAGE_TOO_MANY_PIXELS', what, { value: pixels, limit });
  }
  return pixels;
}
