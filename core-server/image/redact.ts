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
  if (style === 'box') return fill(picture, region, [0, 0, 0]);
  const longer = Math.max(region.width, region.height);
  const count = Math.min(mostCells, Math.max(1, Math.floor(longer / leastCellPixels)));
  const size = scaledSize(region, count / longer);
  const means = { data: new Uint8Array(size.width * size.height * 3), ...size };
  for (const [i, cell] of cellsOf(region, size).entries()) {
    const mean = meanColour(picture, cell);
    means.data.set(mean, i * 3);
    if (style === 'pixelate') fill(picture, cell, mean);
  }
  if (style !== 'blur') return;
  const smooth = resizePicture(means, region, undefined, 'linear');
  for (const [y, row] of rowsOf(picture, region).entries()) {
    row.set(smooth.data.subarray(y * row.length, (y + 1) * row.length));
  }
}

/** So many parts of a region, row by row, whose sides differ by a pixel at most. */
function cellsOf({ left, top, width, height }: Region, size: Size): Region[] {
  const x = (column: number): number => Math.ceil((column * width) / size.width);
  const y = (row: number): number => Math.ceil((row * height) / size.height);
  return Array.from({ length: size.width * size.height }, (_, i) => {
    const [column, row] = [i % size.width, Math.floor(i / size.width)];
    const part = { width: x(column + 1) - x(column), height: y(row + 1) - y(row) };
    return { left: left + x(column), top: top + y(row), ...part };
  });
}

/** The bytes of each row of a region: views, to read and to write. */
function rowsOf({ data, width }: RgbPicture, region: Region): Uint8Array[] {
  return Array.from({ length: region.height }, (_, y) => {
    const from = ((region.top + y) * width + region.left) * 3;
    return data.subarray(from, from + region.width * 3);
  });
}

function meanColour(picture: RgbPicture, cell: Region): number[] {
  let [red, green, blue] = [0, 0, 0];
  for (const row of rowsOf(picture, cell)) {
    for (let at = 0; at < row.length; at += 3) {
      red += row[at] ?? 0;
      green += row[at + 1] ?? 0;
      blue += row[at + 2] ?? 0;
    }
  }
  return [red, green, blue].map((sum) => Math.round(sum / (cell.width * cell.height)));
}

function fill(picture: RgbPicture, region: Region, colour: readonly number[]): void {
  const line = Uint8Array.from({ length: region.width * 3 }, (_, at) => colour[at % 3] ?? 0);
  for (const row of rowsOf(picture, region)) row.set(line);
}
