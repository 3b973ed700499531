import { be, box } from './avif.js';
import { composeExif, directoryBytes, exifRing, firstDirectory } from './exif.js';
import { composeDirectories, composeTiff, tiffWriter } from './tiff.js';

// Files that make a careless parser work for seconds: their parts overlap, are empty, lead back to themselves, or are
// nested as often as a number says. Each grows with the bytes that it is asked for.

interface HostileFile {
  readonly name: string;
  readonly bytes: Buffer;
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const fill = (bytes: number, pattern: Buffer): Buffer => Buffer.alloc(Math.max(0, bytes), pattern);

/**
 * A TIFF whose strip is a JPEG of many overlapping scan headers: each is `FF DA 02 04`, and its segment of 516 bytes
 * begins with the headers that follow. Behind them stands a filling up to the one end of the image, for which a
 * search from each of them has to look through the whole file.
 */
function overlappingScans(bytes: number, headers = 103, filling = hex('ff 00')): Buffer {
  const strip = Buffer.concat([
    hex('ff d8'),
    fill(4 * headers, hex('ff da 02 04')),
    fill(518, hex('ff')),
    fill(bytes - 4 * headers - 700, filling),
    hex('ff d9'),
  ]);
  return composeTiff(strip, { width: 64, height: 64, compression: 7 });
}

interface AvifBoxes {
  readonly iloc?: Buffer;
  readonly iinf?: Buffer;
  readonly ipco?: Buffer;
  readonly ipma?: Buffer;
  readonly rest?: Buffer;
}

const versioned = (type: string, ...parts: Buffer[]): Buffer => box(type, be(4, 0), ...parts);

function avif({ iloc, iinf, ipco, ipma, rest = Buffer.alloc(0) }: AvifBoxes): Buffer {
  return Buffer.concat([
    box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')),
    versioned(
      'meta',
      versioned('iloc', iloc ?? be(2, 0, 0)),
      versioned('iinf', iinf ?? be(2, 0)),
      box('iprp', box('ipco', ipco ?? Buffer.alloc(0)), versioned('ipma', ipma ?? be(4, 0))),
    ),
    rest,
  ]);
}

const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

/** An AVIF whose items lie in many extents each, whose offsets and lengths take no bytes. */
export function emptyExtents(items = 1_000, extents = 1_000): Buffer {
  const places = ids(items).map((id) => be(2, id, 0, extents));
  return avif({ iloc: Buffer.concat([be(2, 0, items), ...places]) });
}

/** An AVIF of many pictures that all have the same bytes, in extents that all are the whole rest. */
function sharedItems(items: number, extents: number, rest: Buffer): Buffer {
  const compose = (start: number): Buffer => {
    const extent = be(4, start, rest.length);
    const place = (id: number) => [be(2, id, 0, extents), fill(8 * extents, extent)];
    const entries = ids(items).map((id) => box('infe', hex('02 00 00 00'), be(2, id, 0), Buffer.from('av01\0')));
    const size = box('ispe', be(4, 0, 1, 1));
    return avif({
      iloc: Buffer.concat([hex('44 00'), be(2, items), ...ids(items).flatMap(place)]),
      iinf: Buffer.concat([be(2, items), ...entries]),
      ipco: Buffer.concat([size, box('av1C', be(4, 0))]),
      ipma: Buffer.concat([be(4, items), ...ids(items).map((id) => Buffer.concat([be(2, id), hex('02 01 02')]))]),
      rest,
    });
  };
  return compose(compose(0).length - rest.length);
}

/** A TIFF of directories that stand one inside the other, two bytes apart. */
function overlappingDirectories(bytes: number): Buffer {
  const file = fill(bytes, hex('01 00'));
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  return file;
}

/** A TIFF of one directory of so many fields as fit in. */
function manyFields(bytes: number, isBig: boolean): Buffer {
  const file = fill(bytes, hex('ff ff 03 00'));
  file.write(isBig ? 'II+\0\x08\0\0\0' : 'II*\0', 'latin1');
  file.writeUInt32LE(isBig ? 16 : 8, isBig ? 8 : 4);
  if (isBig) file.fill(0, 12, 16).fill(0xff, 16, 24);
  else file.writeUInt16LE(0xffff, 8);
  return file;
}

const jpegOf = (...parts: Buffer[]): Buffer => Buffer.concat([hex('ff d8 ff e0 00 02'), ...parts, hex('ff d9')]);
const pngOf = (...parts: Buffer[]): Buffer => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
const webpOf = (...parts: Buffer[]): Buffer => Buffer.concat([Buffer.from('RIFF____WEBP', 'latin1'), ...parts]);

/** Directories that all lead to the next, each from all its entries. */
const exifChain = (entries: number): Buffer => {
  const pointers = [0x8769, 0x8825, 0xa005];
  const startOf = (level: number) => firstDirectory + (level % 3) * directoryBytes(entries);
  return composeExif(pointers.map((tag, level) => Array<[number, number]>(entries).fill([tag, startOf(level + 1)])));
};

/** All of them, of about so many bytes where that makes them worse. */
export function createHostileFiles(bytes: number): HostileFile[] {
  const files: HostileFile[] = [];
  const add = (name: string, file: Buffer): void => void files.push({ name, bytes: file });
  const fillings = ['ff 00', 'ff d0', 'ff', '00', 'ff 00 00', `ff${'00'.repeat(63)}`];
  for (const filling of fillings) {
    const pattern = hex(filling);
    add(`tiff, overlapping scans before ${filling}`, overlappingScans(bytes, 103, pattern));
    add(`jpeg, progressive, filled with ${filling}`, jpegOf(fill(bytes, pattern)));
    add(`jpeg, a scan of ${filling}`, jpegOf(hex('ff da 00 08 01 01 00 00 3f 00'), fill(bytes, pattern)));
  }
  for (const headers of [1, 20, 21, 128, 129, 1_000, bytes >> 3])
    add(`tiff, ${headers} overlapping scans`, overlappingScans(bytes, headers));
  for (const scan of ['ff da', 'ff da 00 08', 'ff da 00 08 01', 'ff da 02 04 00', 'ff da 00 08 01 ff d9'])
    add(`tiff of ${scan}`, composeTiff(fill(bytes, hex(scan)), { width: 9, height: 9, compression: 7 }));
  add('tiff, overlapping directories', overlappingDirectories(bytes));
  add('tiff, a directory of all fields', manyFields(bytes, false));
  add('bigtiff, a directory of all fields', manyFields(bytes, true));
  const endless = composeDirectories('II*', [[tiffWriter('II*').field(279, 4, 2 ** 32 - 1, 100)]]);
  add('tiff, a field of values without end', Buffer.concat([endless, Buffer.alloc(bytes)]));
  for (const segment of ['ff e1 00 00', 'ff e1 00 02', 'ff fe 00 01', 'ff c0 00 02', 'ff da 00 00', 'ff dd ff ff'])
    add(`jpeg of ${segment}`, jpegOf(fill(bytes, hex(segment))));
  for (const [type, head] of [
    ['jpeg', jpegOf()],
    ['png', pngOf()],
    ['webp', webpOf()],
    ['avif', avif({})],
  ] as const) {
    const file = head.subarray(0, type === 'jpeg' ? -2 : undefined);
    const exif = (name: string, block: Buffer): void =>
      add(`${type}, ${name}`, Buffer.concat([file, fill(bytes, block)]));
    exif('headers of EXIF', Buffer.from('II*\0', 'latin1'));
    exif('EXIF that points to itself', exifRing(140));
    exif('EXIF in a circle', exifChain(100));
    exif('EXIF of the largest count', Buffer.from('MM\0*\0\0\0\x08\xff\xff\x87\x69', 'latin1'));
  }
  for (const [type, length] of [
    ['zTXt', 0],
    ['iTXt', 0],
    ['tEXt', 0],
    ['iTXt', 0xffff_ffff],
  ] as const)
    add(
      `png of ${type} of ${length}`,
      pngOf(fill(bytes, Buffer.concat([be(4, length), Buffer.from(type), hex('01 01 01 01')]))),
    );
  for (const length of [0, 1, 0xffff_ffff])
    add(`webp, chunks of ${length}`, webpOf(fill(bytes, Buffer.concat([Buffer.from('ANMF'), be(4, length)]))));
  add('avif, empty extents', emptyExtents());
  add('avif, empty extents of few items', emptyExtents(16, 60_000));
  // Its steps suffice for all of them, but not the worker's memory.
  add('avif, empty extents in a larger file', Buffer.concat([emptyExtents(), fill(bytes, hex('00'))]));
  const units = fill(5_994, hex('32 00 12 00 0a 00'));
  add('avif, many pictures of the same units', sharedItems(1_000, 1, units));
  add('avif, pictures of the whole file many times', sharedItems(10, 1_000, fill(bytes, units)));
  add('avif, a unit of an endless length', sharedItems(1_000, 1, Buffer.concat([hex('32'), fill(bytes, hex('80'))])));
  add('avif, zeros between units', sharedItems(1_000, 1, fill(bytes, hex('00'))));
  add('avif, boxes of no size', Buffer.concat([avif({}), fill(bytes, box('free'))]));
  add(
    'avif, a property for all',
    avif({
      ipma: Buffer.concat([be(4, 1_000), ...ids(1_000).map((id) => Buffer.concat([be(2, id), fill(256, hex('ff'))]))]),
    }),
  );
  return files;
}
