import { corruptImage } from '../../refuse-image.js';
import type { Cursor } from '../cursor.js';
import { countFrames } from './av1-frames.js';
import { boxesOf, only } from './iso-boxes.js';

/** An item of an AVIF: a picture, a tile, an alpha channel, a thumbnail or metadata. */
interface AvifItem {
  /** `av01` has pixels of its own, `grid` those of its tiles. */
  readonly type: string;
  /** Of all its frames, which are all decoded, though only the last is seen; 0 if it has none of its own. */
  readonly pixels: number;
}

/** Properties by which libheif turns or crops all pixels, as often as an item has them: 50 megapixels take a second. */
const transformations = ['irot', 'imir', 'clap'];

/** As many as libheif reads. */
const maxItems = 1_000;

/**
 * The items of an AVIF, as libheif reads them (ISO/IEC 14496-12, 8.11, and 23008-12, 9.3).
 *
 * @throws Refusal CORRUPT_IMAGE if the file is cut off, malformed, or could be read in more than one way
 */
export function readAvifItems(file: Cursor): AvifItem[] {
  const top = boxesOf(file);
  if (top.some(({ type }) => type === 'mini')) throw corruptImage('two sorts of meta boxes');
  const meta = boxesOf(only(top, 'meta').part(4));
  const iprp = boxesOf(only(meta, 'iprp'));
  const properties = boxesOf(only(iprp, 'ipco'));
  const associations = readAssociations(only(iprp, 'ipma'));
  const types = readTypes(only(meta, 'iinf'));
  const idat = meta.find(({ type }) => type === 'idat')?.body;
  if (meta.some(({ type }) => type === 'iref')) assertUsedOnce(only(meta, 'iref'));
  const extents = readExtents(only(meta, 'iloc'), file, idat);
  // libvips parses each, and its parts can only be found where they stand together.
  const exif = Array.from(types.keys()).filter((id) => types.get(id) === 'Exif');
  if (exif.length > 1 || exif.some((id) => (extents.get(id)?.length ?? 0) > 1)) throw corruptImage('EXIF in parts');

  return Array.from(types, ([id, type]) => {
    const own = (associations.get(id) ?? []).flatMap((index) => properties[index - 1] ?? []);
    const isRepeated = (name: string): boolean => own.filter((property) => property.type === name).length > 1;
    if (transformations.some(isRepeated)) throw corruptImage('a transformation twice');
    if (type !== 'av01') return { type, pixels: 0 };
    const size = only(own, 'ispe');
    // What follows the first four bytes of the configuration is decoded before the data.
    const streams = [only(own, 'av1C').part(4), file.join(extents.get(id) ?? [])];
    const frames = streams.reduce((sum, stream) => sum + countFrames(stream), 0);
    return { type, pixels: size.uint(4, 4) * size.uint(8, 4) * Math.max(1, frames) };
  });
}

/** Reads integers one after the other; beyond the end, it throws. */
function readerOf(bytes: Cursor, from = 0): (size: number) => number {
  let at = from;
  return (size) => {
    at += size;
    return bytes.uint(at - size, size);
  };
}

function assertFew(count: number): number {
  if (count > maxItems) throw corruptImage('too many items');
  return count;
}

/** The types of the items by their identifiers. */
function readTypes(iinf: Cursor): Map<number, string> {
  const types = new Map<number, string>();
  for (const { type, body } of boxesOf(iinf.part(iinf.byte(0) === 0 ? 6 : 8))) {
    if (type !== 'infe') continue;
    const version = body.byte(0);
    if (version !== 2 && version !== 3) throw corruptImage('an item without a type');
    const idBytes = version === 2 ? 2 : 4;
    const id = body.uint(4, idBytes);
    if (types.has(id)) throw corruptImage('an item twice');
    types.set(id, body.text(idBytes + 6, 4));
  }
  return types;
}

/**
 * Refuses an item that is a part of several others, or more than once: libheif decodes it for each of them, and makes a
 * grid as large as all its tiles, even if these are the same.
 */
function assertUsedOnce(iref: Cursor): void {
  const idBytes = iref.byte(0) === 0 ? 2 : 4;
  const used = new Set<number>();
  for (const { type, body } of boxesOf(iref.part(4))) {
    const read = readerOf(body);
    const from = read(idBytes);
    const to = Array.from({ length: read(2) }, () => read(idBytes));
    if (body.length !== 2 + (1 + to.length) * idBytes)
      throw corruptImage('references of another length than their box');
    // A grid names its tiles, and an alpha channel what it belongs to.
    const parts = type === 'dimg' ? to : type === 'auxl' ? to.map(() => from) : [];
    for (const part of parts) {
      if (used.has(part)) throw corruptImage('an item used twice');
      assertFew(used.add(part).size);
    }
  }
}

/** The indices, from 1, of the properties of the items by their identifiers. */
function readAssociations(ipma: Cursor): Map<number, number[]> {
  const read = readerOf(ipma, 4);
  const idBytes = ipma.byte(0) === 0 ? 2 : 4;
  const indexBytes = (ipma.byte(3) ?? 0) & 1 ? 2 : 1;
  // The highest bit says whether the property is essential.
  const indexBits = 2 ** (8 * indexBytes - 1) - 1;
  const associations = new Map<number, number[]>();
  for (let left = assertFew(read(4)); left > 0; left -= 1) {
    const id = read(idBytes);
    if (associations.has(id)) throw corruptImage('properties of an item twice');
    // There may be a quarter of a million: by `Array.from` and a remainder, they took six times as long.
    const indices: number[] = [];
    for (let count = read(1); count > 0; count -= 1) indices.push(read(indexBytes) & indexBits);
    associations.set(id, indices);
  }
  return associations;
}

/** The bytes of the items by their identifiers, in the parts in which they lie in the file. */
function readExtents(iloc: Cursor, file: Cursor, idat: Cursor | undefined): Map<number, Cursor[]> {
  const version = iloc.uint(0, 1);
  const sizes = iloc.uint(4, 2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  if ([offsetBytes, lengthBytes, baseBytes, indexBytes].some((size) => ![0, 4, 8].includes(size)))
    throw corruptImage('numbers of an odd size');
  const read = readerOf(iloc, 6);
  const idBytes = version < 2 ? 2 : 4;
  const extents = new Map<number, Cursor[]>();
  for (let left = assertFew(read(idBytes)); left > 0; left -= 1) {
    const id = read(idBytes);
    if (extents.has(id)) throw corruptImage('the place of an item twice');
    const isInside = version > 0 && (read(2) & 15) === 1;
    read(2);
    const base = read(baseBytes);
    const source = isInside ? idat : file;
    const parts = Array.from({ length: assertFew(read(2)) }, () => {
      read(indexBytes);
      const start = base + read(offsetBytes);
      const length = read(lengthBytes);
      const part = (source ?? file).part(start, source ? start + length : start);
      // libheif copies the bytes of each item, which many may share, and so does `join`.
      file.step(part.length);
      return part;
    });
    extents.set(id, parts);
  }
  return extents;
}
