/** A segment of a JPEG. */
export interface JpegSegment {
  /** The second byte of its marker. */
  readonly marker: number;
  /** Where its marker stands. */
  readonly at: number;
}

export const startOfScan = 0xda;
const endOfImage = 0xd9;

/** The segments that decoders read: to the end, or to the first scan if it is the only one. ITU T.81, B.1.1. */
export function* jpegSegments(file: Buffer): Generator<JpegSegment> {
  let components: number | undefined;
  for (let at = nextMarker(file, 2); at + 4 < file.length; at = nextMarker(file, at)) {
    const marker = file[at + 1] ?? 0;
    yield { marker, at };
    // Sequential, and with all components: what phones append, such as a video, is not searched.
    const isOnlyScan = marker === startOfScan && file[at + 4] === components;
    if (isOnlyScan || marker === endOfImage) return;
    if (marker === 0xc0 || marker === 0xc1) components = file[at + 9];
    at += 2 + file.readUInt16BE(at + 2);
  }
}

/** Decoders skip bytes between segments, the data of scans, and markers without a segment. */
function nextMarker(file: Buffer, from: number): number {
  for (let at = from; at >= 0; at = file.indexOf(0xff, at)) {
    // Searching for each single byte would take longer than looking at a few.
    for (const end = at + 64; at < end; at += 1) if (isMarker(file, at)) return at;
  }
  return file.length;
}

function isMarker(file: Buffer, at: number): boolean {
  if (file[at] !== 0xff) return false;
  const marker = file[at + 1] ?? 0;
  return marker >= 0xc0 && marker < 0xff && (marker < 0xd0 || marker > 0xd7);
}

const scanMarker = Buffer.from([0xff, startOfScan]);

/**
 * Scans in a file after which their JPEG goes on. In a TIFF, each strip and tile is a JPEG of one scan, but many may
 * share the same bytes, so that the number of all scans says nothing.
 */
export function countContinuedScans(file: Buffer, max: number): number {
  let found = 0;
  for (
    let at = file.indexOf(scanMarker);
    at >= 0 && at + 5 <= file.length && found <= max;
    at = file.indexOf(scanMarker, at + 2)
  ) {
    const length = file.readUInt16BE(at + 2);
    // Decoders refuse any other header.
    if (length !== 6 + 2 * (file[at + 4] ?? 0)) continue;
    if (file[nextMarker(file, at + 2 + length) + 1] !== endOfImage) found += 1;
  }
  return found;
}
