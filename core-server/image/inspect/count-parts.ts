import { unsupportedImage } from '../refuse-image.js';
import type { Cursor } from './cursor.js';
import { countExifEntries } from './exif-entries.js';
import { assertKnownFrame, jpegSegments, startOfScan } from './jpeg-segments.js';
import { chunkType, pngChunks } from './png-chunks.js';
import type { ImageType } from './sniff-type.js';

/**
 * Parts of a file that libvips processes before it returns any pixel: its time grows with them, whatever the
 * picture's size. Real files have far fewer.
 */
export interface Parts {
  /** What they are, for the refusal. */
  readonly name: string;
  readonly max: number;
  /** If there are more than `max`, not all are counted. */
  readonly found: number;
}

// Each scan covers all pixels and can be 70 bytes long; 10 are usual, 18 for CMYK.
export const maxScans = 20;

const eXIf = chunkType('eXIf');

/** @throws Refusal UNSUPPORTED_IMAGE_TYPE */
export function assertFew(type: ImageType, parts: Iterable<Parts>): void {
  for (const { name, max, found } of parts) {
    if (found <= max) continue;
    const what = `${type === 'avif' ? 'an' : 'a'} ${type.toUpperCase()} of more than ${max} ${name}`;
    throw unsupportedImage(type, `is ${what}, want one of fewer`, max);
  }
}

/** By type, counted one sort after the other. @throws Refusal UNSUPPORTED_IMAGE_TYPE for a JPEG that is not read */
export const partsOf: Partial<Record<ImageType, (file: Cursor) => Iterable<Parts>>> = {
  *webp(file) {
    // Each frame is one, and the time grows with their square.
    const max = 1_000;
    yield { name: 'chunks', max, found: countChunks(file, max) };
    yield exifEntries(file);
  },
  *jpeg(file) {
    // Even an empty one can take 275 bytes; 160 of the largest are 10 MiB.
    const max = 1_000;
    const segments = upTo(max + 1, jpegSegments(file));
    yield { name: 'segments', max, found: segments.length };
    assertKnownFrame(file, segments);
    const scans = segments.filter(({ marker }) => marker === startOfScan);
    yield { name: 'scans', max: maxScans, found: scans.length };
    // By the first scan, decoders have read the EXIF.
    yield exifEntries(file.part(0, scans[0]?.at));
  },
  *png(file) {
    for (const { type, at, end } of pngChunks(file)) if (type === eXIf) yield exifEntries(file.part(at, end));
  },
  avif: (file) => [exifEntries(file)],
};

function exifEntries(file: Cursor): Parts {
  // Each takes a microsecond, or ten if it copies 64 KiB; cameras write about a hundred.
  const max = 20_000;
  return { name: 'EXIF entries', max, found: countExifEntries(file, max) };
}

function upTo<T>(max: number, parts: Iterable<T>): T[] {
  const found: T[] = [];
  for (const part of parts) if (found.push(part) === max) break;
  return found;
}

/** RFC 9649, 2.3: a name and a length of four bytes each, padded to an even number. */
function countChunks(file: Cursor, max: number): number {
  let found = 0;
  for (let at = 12; at + 8 <= file.length && found <= max; found += 1) {
    const length = file.uint(at + 4, 4, true);
    at += 8 + length + (length % 2);
  }
  return found;
}
