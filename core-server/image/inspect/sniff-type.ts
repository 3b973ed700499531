export type ImageType = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff' | 'heic';

// Our own few lines: code that sees hostile bytes first should be short enough to review.

/** A type that is recognised only to name it in the refusal: an animated AVIF. */
type UnsupportedType = 'avis';

/** Detects a picture's type from its first bytes, whatever it claims to be; undefined for anything else. */
export function sniffType(bytes: Uint8Array): ImageType | UnsupportedType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 512));
  const text = (from: number, to: number): string => head.toString('latin1', from, to);

  if (text(0, 3) === '\xff\xd8\xff') return 'jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'gif';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp';
  // Classic TIFF has the number 42, BigTIFF 43, in either byte order.
  if (['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(text(0, 4))) return 'tiff';
  if (text(4, 8) === 'ftyp') return sniffHeif(head);
  return undefined;
}

const heicBrands = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'];

/** ISO/IEC 14496-12, 4.3: a file type box is size, "ftyp", major brand, minor version, compatible brands. */
function sniffHeif(head: Buffer): 'avif' | 'heic' | UnsupportedType | undefined {
  const box = head.subarray(0, head.readUInt32BE(0));
  const brands = new Set<string>();
  for (let at = 8; at + 4 <= box.length; at += 4) {
    if (at !== 12) brands.add(box.toString('latin1', at, at + 4));
  }
  // An image sequence; libvips does not recognise this brand.
  if (head.toString('latin1', 8, 12) === 'avis') return 'avis';
  if (brands.has('avif') || brands.has('avis')) return 'avif';
  return heicBrands.some((brand) => brands.has(brand)) ? 'heic' : undefined;
}
