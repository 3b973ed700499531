import { type RedactionStyle, type Region, type RgbPicture, scaledSize, type Size } from './picture.js';
import { resizePicture } from './resize/resize-picture.js';

/**
 * Cells along the longer side of a region, however large it is. With the margin around a face, the face itself has five
 * or six of them; people need about 15 to tell whose it is (T. Bachmann, "Identification of spatially quantised
 * tachistoscopic images of faces", 1991).
 */
const mostCells = 8;
/** Smaller cells would leave small faces as they are. */
const leastCellPixels = 4;

/**
 * Hides a region of the pixels, in place. Blurred or pixelated, nothing is left of it but the mean colours of at most
 * 8 x 8 cells, so that there is no more to restore than those; boxed, nothing at all.
 */
export function redactRegion(picture: RgbPicture, region: Region, style: RedactionStyle): void {
  const cover = coverOf(picture, region, style);
  const stride = region.width * 3;
  for (let y = 0; y < region.height; y++) {
    const row = cover.data.subarray(y * stride, (y + 1) * stride);
    picture.data.set(row, ((region.top + y) * picture.width + region.left) * 3);
  }
}

function coverOf(picture: RgbPicture, region: Region, style: RedactionStyle): RgbPicture {
  const { width, height } = region;
  if (style === 'box') return { data: new Uint8Array(width * height * 3), width, height };
  const longer = Math.max(width, height);
  const cells = Math.min(mostCells, Math.max(1, Math.floor(longer / leastCellPixels)));
  const size = scaledSize(region, cells / longer);
  const columns = spread(width, size.width);
  const rows = spread(height, size.height);
  const means = { data: meansOf(picture, region, { columns, rows, size }), ...size };
  if (style === 'blur') return resizePicture(means, region, undefined, 'linear');
  const data = new Uint8Array(width * height * 3);
  const line = new Uint8Array(width * 3);
  for (const [y, row] of rows.entries()) {
    if (row !== rows[y - 1]) {
      for (const [x, column] of columns.entries()) {
        const at = (row * size.width + column) * 3;
        line.set(means.data.subarray(at, at + 3), x * 3);
      }
    }
    data.set(line, y * width * 3);
  }
  return { data, width, height };
}

/** Which of so many cells each pixel along a side is in. */
function spread(pixels: number, cells: number): Uint32Array {
  return Uint32Array.from({ length: pixels }, (_, pixel) => Math.floor((pixel * cells) / pixels));
}

/** The mean colour of each cell. */
function meansOf(
  { data, width }: RgbPicture,
  { left, top }: Region,
  { columns, rows, size }: { columns: Uint32Array; rows: Uint32Array; size: Size },
): Uint8Array {
  const sums = new Float64Array(size.width * size.height * 3);
  const counts = new Uint32Array(size.width * size.height);
  for (const [y, row] of rows.entries()) {
    let at = ((top + y) * width + left) * 3;
    for (let x = 0; x < columns.length; x++, at += 3) {
      const cell = row * size.width + (columns[x] ?? 0);
      counts[cell] = (counts[cell] ?? 0) + 1;
      for (let channel = 0; channel < 3; channel++) {
        const sum = cell * 3 + channel;
        sums[sum] = (sums[sum] ?? 0) + (data[at + channel] ?? 0);
      }
    }
  }
  return Uint8Array.from(sums, (sum, i) => Math.round(sum / (counts[Math.floor(i / 3)] ?? 1)));
}
