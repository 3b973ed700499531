import { Cursor } from '../inspect/cursor.js';
import { chunkType, pngChunks } from '../inspect/png-chunks.js';

const texts: readonly number[] = ['tEXt', 'zTXt', 'iTXt'].map(chunkType);

/**
 * A PNG without its texts: libvips inflates each and sharp makes strings of those before the pixels, and 77 KB of ten
 * texts become 80 MB, more than the heap of a worker has. PNG, third edition, 11.3.3.
 */
export function withoutTexts(png: Uint8Array): Uint8Array {
  const bytes = Buffer.from(png);
  // In place: a list of what is kept could be longer than the heap has room for.
  let [from, to] = [0, 0];
  for (const { type, at, end } of pngChunks(new Cursor(png))) {
    if (!texts.includes(type)) continue;
    bytes.copyWithin(to, from, at);
    to += at - from;
    from = Math.min(end, bytes.length);
  }
  bytes.copyWithin(to, from);
  return bytes.subarray(0, to + bytes.length - from);
}
