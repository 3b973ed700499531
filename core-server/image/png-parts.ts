import { inflateSync } from 'node:zlib';
import { countExifEntries, maxExifBytes } from './exif-entries.js';

const [zTXt, iTXt, iCCP, IEND] = ['zTXt', 'iTXt', 'iCCP', 'IEND'].map((type) =>
  Buffer.from(type).readUInt32BE(),
);

/** Where the chunks of a PNG begin. PNG, third edition, 5.3: a length, a type, that many bytes and a checksum. */
function* pngChunks(file: Buffer): Generator<number> {
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.readUInt32BE(at + 4) === IEND) return;
    yield at;
  }
}

export function countCompressed(file: Buffer, max: number): number {
  let found = 0;
  for (const at of pngChunks(file)) {
    const type = file.readUInt32BE(at + 4);
    if (type === zTXt || type === iCCP) found += 1;
    // 11.3.3.4: a keyword, a zero, and whether the text is compressed.
    else if (type === iTXt && file[file.indexOf(0, at + 8) + 1] === 1) found += 1;
    if (found > max) break;
  }
  return found;
}

/** The keywords of texts in which ImageMagick stores EXIF. */
const rawProfile = 'Raw profile type ';
const rawProfiles = [`${rawProfile}exif\0`, `${rawProfile}APP1\0`];

/** Entries of EXIF in chunks and in texts. */
export function countPngExifEntries(file: Buffer, max: number): number {
  let found = countExifEntries(file, max);
  if (!file.includes(rawProfile)) return found;
  for (const at of pngChunks(file)) {
    if (found > max) break;
    if (!rawProfiles.includes(file.toString('latin1', at + 8, at + 30))) continue;
    const text = textOf(file, at);
    found += text === undefined ? max : countExifEntries(parseRawProfile(text), max);
    found += 1;
  }
  return found;
}

/** Eight times what EXIF of 64 KiB takes. */
const maxTextBytes = 2 ** 20;

/** Undefined if it is too long or damaged. PNG, third edition, 11.3.3. */
function textOf(file: Buffer, at: number): string | undefined {
  const type = file.readUInt32BE(at + 4);
  const data = file.subarray(at + 8, at + 8 + file.readUInt32BE(at));
  let start = data.indexOf(0) + 1;
  const isCompressed = type === zTXt || (type === iTXt && data[start] === 1);
  if (type === zTXt) start += 1;
  else if (type === iTXt) {
    const languageEnd = data.indexOf(0, start + 2);
    start = data.indexOf(0, languageEnd + 1) + 1;
  }
  const text = data.subarray(start);
  if (!isCompressed) return text.toString('latin1');
  try {
    return inflateSync(text, { maxOutputLength: maxTextBytes }).toString('latin1');
  } catch {
    return undefined;
  }
}

/** As libvips reads it: a line break, a name, the number of bytes, and two hexadecimal digits for each. */
function parseRawProfile(text: string): Buffer {
  const [head] = /^[^\n]*\n[^\n]*\n\s*[+-]?\d+/.exec(text) ?? [text];
  const bytes = Buffer.alloc(Math.min(text.length >> 1, maxExifBytes));
  let length = 0;
  for (let at = head.length; at + 1 < text.length && length < bytes.length;) {
    if (text[at] === ' ' || text[at] === '\n') at += 1;
    else {
      bytes[length] = Number.parseInt(text.slice(at, at + 2), 16);
      length += 1;
      at += 2;
    }
  }
  return bytes.subarray(0, length);
}
