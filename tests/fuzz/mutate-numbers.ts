import type { Random } from './random.js';

// Damage where a format has its counts, lengths and offsets: random bytes seldom meet them, and what makes a parser
// slow is a number that says "as often as", "as long as" or "go on there".

interface NumberPlace {
  readonly at: number;
  readonly bytes: number;
  readonly isLittle: boolean;
}

/** Where numbers stand that a parser of this file follows; none if the type is not known. */
function findNumbers(file: Buffer): NumberPlace[] {
  const places: NumberPlace[] = [];
  const add = (at: number, bytes: number, isLittle = false): void => {
    if (at >= 0 && at + bytes <= file.length) places.push({ at, bytes, isLittle });
  };
  // EXIF stands in any file, and a TIFF is nothing else.
  for (const header of ['II*\0', 'MM\0*']) {
    const start = file.indexOf(header, 0, 'latin1');
    if (start < 0 || start + 8 > file.length) continue;
    const isLittle = header.startsWith('I');
    const read = (at: number, bytes: number): number => {
      if (at + bytes > file.length) return 0;
      return isLittle ? file.readUIntLE(at, bytes) : file.readUIntBE(at, bytes);
    };
    add(start + 4, 4, isLittle);
    const directory = start + read(start + 4, 4);
    add(directory, 2, isLittle);
    const entries = Math.min(64, read(directory, 2));
    for (let entry = 0; entry < entries; entry += 1) {
      const at = directory + 2 + 12 * entry;
      for (const [place, bytes] of [
        [0, 2],
        [2, 2],
        [4, 4],
        [8, 4],
      ] as const)
        add(at + place, bytes, isLittle);
    }
    add(directory + 2 + 12 * entries, 4, isLittle);
  }
  const kind = file.toString('latin1', 0, 12);
  if (kind.startsWith('\xff\xd8')) {
    for (let at = file.indexOf(0xff, 2); at >= 0 && places.length < 500; at = file.indexOf(0xff, at + 1)) {
      add(at + 1, 1);
      add(at + 2, 2);
      add(at + 4, 1);
    }
  } else if (kind.startsWith('\x89PNG')) {
    for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) add(at, 4);
  } else if (kind.startsWith('RIFF')) {
    for (let at = 12; at + 8 <= file.length; at += 8 + file.readUInt32LE(at + 4)) add(at + 4, 4, true);
  } else if (kind.startsWith('GIF')) {
    for (const at of [6, 8]) add(at, 2, true);
    for (let at = 10; at < Math.min(file.length, 900); at += 1) add(at, 1);
  } else if (kind.slice(4, 8) === 'ftyp') {
    for (const name of ['meta', 'iloc', 'iinf', 'infe', 'iprp', 'ipco', 'ipma', 'ispe', 'av1C', 'idat', 'mdat']) {
      const at = file.indexOf(name, 0, 'latin1');
      add(at - 4, 4);
      if (at < 0) continue;
      for (let place = 4; place < 40; place += 1) add(at + place, place % 2 === 0 ? 2 : 1);
    }
  }
  return places;
}

/** Sets a few such numbers to what goes wrong: nothing, one, all, themselves, the end, or where another one stands. */
export function mutateNumbers(file: Buffer, random: Random): Buffer {
  const places = findNumbers(file);
  if (places.length === 0) return file;
  const copy = Buffer.from(file);
  for (let left = 1 + random.int(6); left > 0; left -= 1) {
    const { at, bytes, isLittle } = random.pick(places);
    const most = 2 ** (8 * bytes) - 1;
    const values = [0, 1, 2, 255, 1_000, most, most - 1, at, file.length, file.length - at, random.pick(places).at];
    const value = Math.max(0, Math.min(most, random.pick(values)));
    if (isLittle) copy.writeUIntLE(value, at, bytes);
    else copy.writeUIntBE(value, at, bytes);
  }
  return copy;
}

/** Repeats what stands around such a number, up to a thousand times: many parts that each lead somewhere. */
export function repeatParts(file: Buffer, random: Random): Buffer {
  const places = findNumbers(file);
  if (places.length === 0) return file;
  const { at } = random.pick(places);
  const part = file.subarray(Math.max(0, at - random.int(12)), at + 1 + random.int(24));
  const times = 2 ** (1 + random.int(10));
  return Buffer.concat([file.subarray(0, at), ...Array<Buffer>(times).fill(part), file.subarray(at)]);
}
