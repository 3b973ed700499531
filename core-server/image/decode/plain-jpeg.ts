import { Transformer } from '@napi-rs/image';
import { Cursor } from '../inspect/cursor.js';
import { jpegSegments, startOfScan } from '../inspect/jpeg-segments.js';
import type { RgbPicture, Size } from '../picture.js';

const startOfFrame = 0xc0;
/** JFIF, Huffman and quantisation tables, restart interval, comment. */
const harmless = [0xe0, 0xc4, 0xdb, 0xdd, 0xfe];
/** Sampling factors of luma, one byte each: 4:4:4, 4:2:2, 4:2:0. Those of chroma are 0x11. */
const lumaSampling = [0x11, 0x21, 0x22];
const endOfImage = Buffer.from([0xff, 0xd9]);

/**
 * Decodes the most frequent kind of picture in the calling thread, in half the time that sharp needs with its threads
 * (bench/TRIED.md): a sequential JPEG of one scan in YCbCr, without EXIF, profile or Adobe's marker. Undefined if it
 * is any other file, or is damaged or cut off, or has more pixels: sharp knows them all.
 */
export function decodePlainJpeg(bytes: Uint8Array, maxPixels: number): RgbPicture | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = sizeOfPlainJpeg(file);
    if (size === undefined || size.width * size.height > maxPixels) return undefined;
    const data = new Transformer(file).rawPixelsSync();
    return data.length === size.width * size.height * 3 ? { ...size, data } : undefined;
  } catch {
    return undefined;
  }
}

/** ITU T.81, B.2.2 for the frame's header. */
function sizeOfPlainJpeg(bytes: Buffer): Size | undefined {
  if (!bytes.subarray(-2).equals(endOfImage)) return undefined;
  const file = new Cursor(bytes);
  let size: Size | undefined;
  let end = 2;
  for (const { marker, at } of jpegSegments(file)) {
    // What stands between segments, decoders read in different ways, and may find another frame in it.
    if (at !== end) return undefined;
    end = at + 2 + file.uint(at + 2, 2);
    if (marker === startOfScan) return file.byte(at + 4) === 3 ? size : undefined;
    if (harmless.includes(marker)) continue;
    if (marker !== startOfFrame || size !== undefined || at + 19 > file.length) return undefined;
    const [bits, components] = [file.byte(at + 4), file.byte(at + 9)];
    const [luma = 0, ...chroma] = [11, 14, 17].map((place) => file.byte(at + place));
    // Channels of these names are taken for RGB, whatever else the file says.
    const isNamed = ['R', 'G', 'B'].every((name, i) => file.byte(at + 10 + 3 * i) === name.charCodeAt(0));
    const isPlain = !isNamed && bits === 8 && components === 3 && chroma.every((factors) => factors === 0x11);
    if (!isPlain || !lumaSampling.includes(luma)) return undefined;
    size = { width: file.uint(at + 7, 2), height: file.uint(at + 5, 2) };
  }
  return undefined;
}
