import { corruptImage } from '../../refuse-image.js';
import type { Cursor } from '../cursor.js';

/** More units than any picture has. */
const maxUnits = 1_000;

const frameHeader = 3;
const frame = 6;

/**
 * The frames in data of AV1: units of a header, a length in 7-bit groups and a payload (AV1 Bitstream & Decoding Process
 * Specification, 5.3). @throws Refusal CORRUPT_IMAGE
 */
export function countFrames(stream: Cursor): number {
  let frames = 0;
  let units = 0;
  for (let at = 0; at < stream.length;) {
    units += 1;
    if (units > maxUnits) throw corruptImage('too many units');
    const header = stream.uint(at, 1);
    const type = (header >> 3) & 15;
    if (type === frameHeader || type === frame) frames += 1;
    at += 1;
    // libaom skips zeros between units.
    if (header === 0) continue;
    if (header & 4) at += 1;
    // Only the last may have no length.
    if (!(header & 2)) break;
    let [length, group] = [0, 0x80];
    for (let shift = 0; group & 0x80; shift += 7) {
      group = stream.uint(at, 1);
      length += (group & 0x7f) * 2 ** shift;
      at += 1;
    }
    at += length;
  }
  return frames;
}
