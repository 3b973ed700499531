import { unsupportedImage } from '../refuse-image.js';
import type { Cursor } from './cursor.js';
import { countExifEntries } from './exif-entries.js';
import { assertKnownFrame, jpegSegments, type Segment, startOfScan } from './jpeg-segments.js';
import { chunkType, pngChunks } from './png-chunks.js';
import type { ImageType } from './sniff-type.js';

// Parts of a file that libvips processes before it returns any pixel: its time grows with them, whatever the picture's
// size. Real files have far fewer.

/** Each scan covers all pixels and can be 70 bytes long; 10 are usual, 18 for CMYK. */
export const maxScans = 20;
/** Even an empty segment can take 275 bytes; 160 of the largest are 10 MiB. */
const maxSegments = 1_000;
/** Each frame is one, and the time grows with their square. */
const maxChunks = 1_000;
/** Each takes a microsecond, or ten if it copies 64 KiB; cameras write about a hundred. */
const maxExifEntries = 20_000;

const eXIf = chunkType('eXIf');

/** @param found parts of that name, not all of them if there are more than `max` @throws Refusal UNSUPPORTED_IMAGE_TYPE */
export function assertFew(type: ImageType, name: string, found: number, max: number): void {
  if (found <= max) return;
  const what = `${type === 'avif' ? 'an' : 'a'} ${type.toUpperCase()} of more than ${max} ${name}`;
  throw unsupportedImage(type, `is ${what}, want one of fewer`, max);
}

/** By type. @throws Refusal UNSUPPORTED_IMAGE_TYPE for too many parts, and for a JPEG that is not read */
export const checkParts: Record<Exclude<ImageType, 'heic' | 'tiff'>, ((file: Cursor) => void) | undefined> = {
  // Its first frame is all that is read.
  gif: undefined,
  webp(file) {
    assertFew('webp', 'chunks', countChunks(file), maxChunks);
    assertFewExifEntries('webp', file);
  },
  jpeg(file) {
    const segments: Segment[] = [];
    for (const segment of jpegSegments(file)) if (segments.push(segment) > maxSegments) break;
    assertFew('jpeg', 'segments', segments.length, maxSegments);
    assertKnownFrame(file, segments);
    const scans = segments.filter(({ marker }) => marker === startOfScan);
    assertFew('jpeg', 'scans', scans.length, maxScans);
    // By the first scan, decoders have read the EXIF.
    assertFewExifEntries('jpeg', file.part(0, scans[0]?.at));
  },
  png(file) {
    for (const { type, at, end } of pngChunks(file)) if (type === eXIf) assertFewExifEntries('png', file.part(at, end));
  },
  avif: (file) => assertFewExifEntries('avif', file),
};

function assertFewExifEntries(type: ImageType, file: Cursor): void {
  assertFew(type, 'EXIF entries', countExifEntries(file, maxExifEntries), maxExifEntries);
}

/** RFC 9649, 2.3: a name and a length of four bytes each, padded to an even number. */
function countChunks(file: Cursor): number {
  let found = 0;
  for (let at = 12; at + 8 <= file.length && found <= maxChunks; found += 1) {
    const length = file.uint(at + 4, 4, true);
    at += 8 + length + (length % 2);
  }
  return found;
}
