import type { ImageType } from './sniff-type.js';
import { tiffDirectories } from './tiff-directories.js';

/**
 * Parts of a file that libvips processes before it returns any pixel: its time grows with them, whatever the
 * picture's size. Real files have far fewer.
 */
export interface Parts {
  /** What they are, for the refusal. */
  readonly name: string;
  readonly max: number;
  /** Counts up to one more than `max`. */
  readonly count: (file: Buffer, max: number) => number;
}

export const partsOf: Partial<Record<ImageType, Parts>> = {
  // Each directory may point to the same megabytes, which are copied for each.
  tiff: { name: 'pages', max: 32, count: countDirectories },
  // Each frame is one, and the time grows with their square.
  webp: { name: 'chunks', max: 1_000, count: countChunks },
  // Each scan covers all pixels and can be 70 bytes long; 10 are usual, 18 for CMYK.
  jpeg: { name: 'scans', max: 20, count: countScans },
  // Each can inflate from 8 KB to 8 MB, which libvips copies four times; more than six are rare.
  png: { name: 'compressed texts and profiles', max: 10, count: countCompressed },
};

function countDirectories(file: Buffer, max: number): number {
  const directories = tiffDirectories(file);
  let found = 0;
  while (found <= max && directories.next().done !== true) found += 1;
  return found;
}

/** RFC 9649, 2.3: a name and a length of four bytes each, padded to an even number. */
function countChunks(file: Buffer, max: number): number {
  let found = 0;
  for (let at = 12; at + 8 <= file.length && found <= max; found += 1) {
    const length = file.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return found;
}

const [zTXt, iTXt, iCCP, IEND] = ['zTXt', 'iTXt', 'iCCP', 'IEND'].map((type) =>
  Buffer.from(type).readUInt32BE(),
);

/** PNG, third edition, 5.3: a length, a type, that many bytes and a checksum. */
function countCompressed(file: Buffer, max: number): number {
  let found = 0;
  for (let at = 8; at + 12 <= file.length && found <= max;) {
    const type = file.readUInt32BE(at + 4);
    if (type === IEND) break;
    const end = at + 12 + file.readUInt32BE(at);
    if (type === zTXt || type === iCCP) found += 1;
    // 11.3.3.4: a keyword, a zero, and whether the text is compressed.
    else if (type === iTXt && file[file.indexOf(0, at + 8) + 1] === 1) found += 1;
    at = end;
  }
  return found;
}

const startOfScan = Buffer.from([0xff, 0xda]);

/** ITU T.81, B.1.1.3: within the data of a scan this marker cannot stand. */
function countScans(file: Buffer, max: number): number {
  const first = findFirstScan(file);
  if (first === undefined) return 1;
  let found = 0;
  for (
    let at = file.indexOf(startOfScan, first);
    at >= 0 && found <= max;
    at = file.indexOf(startOfScan, at + 2)
  )
    found += 1;
  return found;
}

/**
 * Where the first scan begins; undefined if it is the only one (sequential, all components), so that what phones
 * append, such as a video, is not searched.
 */
function findFirstScan(file: Buffer): number | undefined {
  let components: number | undefined;
  for (let at = 2; at + 10 <= file.length;) {
    const marker = file.readUInt16BE(at);
    // Decoders skip bytes between segments, and markers without a segment.
    if (marker < 0xffc0 || marker === 0xffff) at += 1;
    else if (marker >= 0xffd0 && marker <= 0xffd7) at += 2;
    else if (marker === 0xffda) return file[at + 4] === components ? undefined : at;
    else {
      if (marker === 0xffc0 || marker === 0xffc1) components = file[at + 9];
      at += 2 + file.readUInt16BE(at + 2);
    }
  }
  return 0;
}
