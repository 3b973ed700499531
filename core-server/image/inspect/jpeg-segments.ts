import { unsupportedImage } from '../refuse-image.js';
import type { Cursor } from './cursor.js';

export const startOfScan = 0xda;
const endOfImage = 0xd9;

/** By the second byte of its marker, and where that stands. */
export interface Segment {
  readonly marker: number;
  readonly at: number;
}

/** The segments that decoders read: to the end, or to the first scan if it is the only one. ITU T.81, B.1.1. */
export function* jpegSegments(file: Cursor): Generator<Segment> {
  let components: number | undefined;
  for (let at = nextMarker(file, 2); at + 4 < file.length; at = nextMarker(file, at)) {
    const marker = file.byte(at + 1) ?? 0;
    yield { marker, at };
    // Sequential, and with all components: what phones append, such as a video, is not searched.
    const isOnlyScan = marker === startOfScan && file.byte(at + 4) === components;
    if (isOnlyScan || marker === endOfImage) return;
    if (marker === 0xc0 || marker === 0xc1) components = file.byte(at + 9);
    at += 2 + file.uint(at + 2, 2);
  }
}

/** ITU T.81, table B.1: all but DHT, JPG and DAC begin a frame, and so does 0xf7 of JPEG-LS. */
const isFrame = (marker: number): boolean =>
  marker === 0xf7 || ((marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker));
/** Baseline, extended and progressive; the latter two in arithmetic coding as well. */
const frames = [0xc0, 0xc1, 0xc2, 0xc9, 0xca];

/**
 * Decoders refuse 12 bits, hierarchical frames and JPEG-LS as if they were damaged. They read lossless frames, but
 * libvips takes the top left corner for the whole picture where it has them scaled down.
 *
 * @throws Refusal UNSUPPORTED_IMAGE_TYPE
 */
export function assertKnownFrame(file: Cursor, segments: readonly Segment[]): void {
  const frame = segments.find(({ marker }) => isFrame(marker));
  if (frame === undefined || (frames.includes(frame.marker) && file.byte(frame.at + 4) === 8)) return;
  throw unsupportedImage('jpeg', 'is a JPEG of a kind that is not read, want a baseline or progressive one of 8 bits');
}

/** Decoders skip bytes between segments, the data of scans, and markers without a segment. */
function nextMarker(file: Cursor, from: number): number {
  for (let at = file.find(0xff, from); at < file.length; at = file.find(0xff, at + 1)) {
    const marker = file.byte(at + 1) ?? 0;
    if (marker >= 0xc0 && marker < 0xff && (marker < 0xd0 || marker > 0xd7)) return at;
  }
  return file.length;
}

const scanMarker = Buffer.from([0xff, startOfScan]);

/**
 * Scans in a file after which their JPEG goes on. In a TIFF, each strip and tile is a JPEG of one scan, but many may
 * share the same bytes, so that the number of all scans says nothing.
 */
export function countContinuedScans(file: Cursor, max: number): number {
  let found = 0;
  for (let at = file.find(scanMarker, 0); at + 5 <= file.length && found <= max; at = file.find(scanMarker, at + 2)) {
    const length = file.uint(at + 2, 2);
    // Decoders refuse any other header.
    if (length !== 6 + 2 * (file.byte(at + 4) ?? 0)) continue;
    if (file.byte(nextMarker(file, at + 2 + length) + 1) !== endOfImage) found += 1;
  }
  return found;
}
