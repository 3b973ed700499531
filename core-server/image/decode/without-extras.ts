import { constants, inflateSync } from 'node:zlib';
import { isPlainProfile, maxProfileBytes } from '../inspect/colour-profile.js';
import { Cursor } from '../inspect/cursor.js';
import { chunkType, pngChunks } from '../inspect/png-chunks.js';

const iCCP = chunkType('iCCP');
/** Colours, transparency and orientation. A palette is repeated only where it is a hint. */
const keptOnce = [iCCP, ...['PLTE', 'tRNS', 'eXIf'].map(chunkType)];
/** Set in the type of a chunk that decoders need not know. PNG, third edition, 5.4. */
const ancillary = 0x2000_0000;

/**
 * A PNG without chunks that its upright pixels do not need, and with one of each sort that they do. libpng warns of each
 * that is damaged, repeated or out of place, and sharp makes strings of its warnings and of texts, for which the heap of a
 * worker has no room: 5 MB of empty tRNS, 2.6 KB of a profile with 100,000 tags, 77 KB of texts that inflate to 80 MB.
 */
export function withoutExtras(png: Uint8Array): Buffer {
  const bytes = Buffer.from(png);
  const left = new Set(keptOnce);
  // In place: a list of what is kept could be longer than the heap has room for.
  let [from, to] = [0, 0];
  for (const { type, at, end } of pngChunks(new Cursor(png))) {
    const isKept = keptOnce.includes(type) ? left.delete(type) : (type & ancillary) === 0;
    if (isKept && (type !== iCCP || hasPlainProfile(bytes.subarray(at + 8, end)))) continue;
    bytes.copyWithin(to, from, at);
    to += at - from;
    from = Math.min(end, bytes.length);
  }
  bytes.copyWithin(to, from);
  return bytes.subarray(0, to + bytes.length - from);
}

/** A name that ends with a zero, a zero for the compression, and the profile. PNG, third edition, 11.3.2.3. */
function hasPlainProfile(data: Buffer): boolean {
  try {
    const options = { maxOutputLength: maxProfileBytes, finishFlush: constants.Z_SYNC_FLUSH };
    return isPlainProfile(inflateSync(data.subarray(data.indexOf(0) + 2), options));
  } catch {
    return false;
  }
}
