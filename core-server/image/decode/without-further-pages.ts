import { Cursor } from '../inspect/cursor.js';
import { layoutOf } from '../inspect/tiff/first-directory.js';

/**
 * A TIFF that ends with its first page: libvips reads the directories of all, and refuses the file for what is wrong with
 * any, such as a fax whose further pages are compressed in an old way.
 */
export function withoutFurtherPages(tiff: Uint8Array): Uint8Array {
  const { read, next, offsetBytes } = layoutOf(new Cursor(tiff));
  return read(next, offsetBytes) === 0 ? tiff : Buffer.from(tiff).fill(0, next, next + offsetBytes);
}
