import { unsupportedImage } from '../../refuse-image.js';
import type { Cursor } from '../cursor.js';

interface PackedStrips {
  /** Where each begins. */
  readonly offsets: Iterable<number>;
  readonly rowsPerStrip: number;
  readonly rows: number;
  readonly bytesPerRow: number;
}

/** libvips reads strips of more rows row by row. */
const maxRowsAtOnce = 128;

/**
 * TIFF 6.0, section 9, has each row packed alone, but some programs pack the whole strip: what a packet has beyond the
 * end of its row, a reader of single rows takes for further packets.
 *
 * @throws Refusal UNSUPPORTED_IMAGE_TYPE
 */
export function assertRowsPackedAlone(file: Cursor, { offsets, rowsPerStrip, rows, bytesPerRow }: PackedStrips): void {
  if (Math.min(rowsPerStrip, rows) <= maxRowsAtOnce) return;
  let rowsLeft = rows;
  for (const offset of offsets) {
    if (rowsLeft <= 0) return;
    let bytesLeft = bytesPerRow * Math.min(rowsPerStrip, rowsLeft);
    rowsLeft -= rowsPerStrip;
    for (let [at, inRow] = [offset, 0]; bytesLeft > 0 && at < file.length;) {
      const header = file.byte(at) ?? 0;
      // A byte that is repeated, or so many as they are; 128 is skipped.
      const bytes = header > 128 ? 257 - header : (header + 1) % 129;
      at += header > 128 ? 2 : 1 + bytes;
      bytesLeft -= bytes;
      inRow += bytes;
      if (inRow > bytesPerRow) {
        const what =
          'is a TIFF of PackBits that goes on from row to row, want each row packed alone, or no compression';
        throw unsupportedImage('tiff', what);
      }
      if (inRow === bytesPerRow) inRow = 0;
    }
  }
}
