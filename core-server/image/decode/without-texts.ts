const signatureBytes = 8;
/** Length, type and checksum of a chunk. */
const frameBytes = 12;
const [tEXt, zTXt, iTXt, IDAT] = ['tEXt', 'zTXt', 'iTXt', 'IDAT'].map((type) => Buffer.from(type).readUInt32BE());

/**
 * A PNG without the texts before its pixels: sharp makes strings of them, and 77 KB of ten texts become 80 MB, more than
 * the heap of a worker has. PNG, third edition, 5.3 and 11.3.3.
 */
export function withoutTexts(png: Uint8Array): Uint8Array {
  const bytes = Buffer.from(png);
  let [from, to] = [signatureBytes, signatureBytes];
  while (from + frameBytes <= bytes.length) {
    const type = bytes.readUInt32BE(from + 4);
    if (type === IDAT) break;
    const end = Math.min(bytes.length, from + frameBytes + bytes.readUInt32BE(from));
    if (type !== tEXt && type !== zTXt && type !== iTXt) {
      bytes.copyWithin(to, from, end);
      to += end - from;
    }
    from = end;
  }
  bytes.copyWithin(to, from);
  return bytes.subarray(0, to + bytes.length - from);
}
