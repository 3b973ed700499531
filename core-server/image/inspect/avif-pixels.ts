import { refuse } from '../../../runtime/errors/refusal.js';
import { readAvifItems } from './avif-items.js';
import type { Cursor } from './cursor.js';

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
 * @throws Refusal UNSUPPORTED_IMAGE_TYPE or IMAGE_TOO_MANY_PIXELS; DamagedFile
 */
export function avifPixels(file: Cursor, maxPixels: number): number {
  const items = readAvifItems(file);
  const grids = items.filter(({ type }) => type === 'grid').length;
  if (grids > maxGrids || items.some(({ type }) => !plainTypes.has(type))) {
    throw refuse(
      'UNSUPPORTED_IMAGE_TYPE',
      'image is an AVIF composed in an unusual way, want one picture or one grid of tiles',
      { details: { field: 'image', value: 'avif' } },
    );
  }
  const pixels = items.reduce((sum, item) => sum + item.pixels, 0);
  const limit = pixelsPerPixel * maxPixels;
  if (pixels > limit) {
    throw refuse(
      'IMAGE_TOO_MANY_PIXELS',
      `image has ${pixels} pixels with all tiles, layers and channels, want at most ${limit}`,
      { details: { field: 'image', value: String(pixels), limit: String(limit) } },
    );
  }
  return pixels;
}
