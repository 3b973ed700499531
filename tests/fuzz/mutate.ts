import { mutateNumbers, repeatParts } from './mutate-numbers.js';
import type { Random } from './random.js';

// Damage of the kinds that parsers fall over: lengths that lie, cut ends, doubled and missing parts.

const interesting = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x0d, 0x22, 0x25, 0x2d, 0x3b, 0x5c, 0x7b];

type Mutator = (bytes: Buffer, random: Random) => Buffer;

const truncate: Mutator = (bytes, random) => bytes.subarray(0, random.int(bytes.length + 1));

const flipBits: Mutator = (bytes, random) => {
  const copy = Buffer.from(bytes);
  for (let left = 1 + random.int(16); left > 0 && copy.length > 0; left -= 1) {
    const at = random.int(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.int(8));
  }
  return copy;
};

const overwrite: Mutator = (bytes, random) => {
  const copy = Buffer.from(bytes);
  const at = random.int(copy.length + 1);
  copy.fill(random.pick(interesting), at, Math.min(copy.length, at + 1 + random.int(8)));
  return copy;
};

const remove: Mutator = (bytes, random) => {
  const at = random.int(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.int(64))]);
};

const repeat: Mutator = (bytes, random) => {
  const at = random.int(bytes.length + 1);
  const part = bytes.subarray(at, at + 1 + random.int(256));
  return Buffer.concat([bytes.subarray(0, at), part, part, bytes.subarray(at)]);
};

const insert: Mutator = (bytes, random) => {
  const at = random.int(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.int(32)), bytes.subarray(at)]);
};

const mutators = [
  truncate,
  flipBits,
  flipBits,
  overwrite,
  remove,
  repeat,
  insert,
  mutateNumbers,
  mutateNumbers,
  repeatParts,
];

/** Damages bytes in one to four ways. The input stays as it is. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let damaged = bytes;
  for (let left = 1 + random.int(4); left > 0; left -= 1) {
    damaged = random.pick(mutators)(damaged, random);
  }
  return damaged;
}

const alphabets = [
  '0123456789.-+eE',
  '{}[]",:\\u0000 \n',
  '%00%2e%2f&=?#;+',
  'aZ\u00e9\u4e2d\u{1f600}\u202e\u0000\t\r\n',
];

/** Text of a kind that is often not expected where a value is. */
export function strangeText(random: Random): string {
  const alphabet = [...random.pick(alphabets)];
  const length = random.chance(0.02) ? 20_000 : random.int(24);
  return Array.from({ length }, () => random.pick(alphabet)).join('');
}
