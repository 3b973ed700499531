import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JpegOptions } from 'sharp';
import { partsOf } from '../../core-server/image/count-parts.js';
import { validateImageBytes } from '../../core-server/image/validate.js';
import { Refusal } from '../../runtime/refusal.js';
import { quarters } from './image-fixtures.js';

const reasonOf = (bytes: Buffer): string | undefined => {
  try {
    validateImageBytes(bytes, { maxBytes: 1e7 });
    return undefined;
  } catch (error) {
    return Refusal.from(error).reason;
  }
};

/** Directories of one tag each, one after the other; the last leads to `last`. */
function tiff(directories: number, form: 'II*' | 'MM*' | 'II+' | 'MM+', last = 0): Buffer {
  const isLittle = form.startsWith('II');
  const isBig = form.endsWith('+');
  const number = (value: number, bytes: number): Buffer => {
    const big = Buffer.alloc(8);
    if (isLittle) big.writeBigUInt64LE(BigInt(value));
    else big.writeBigUInt64BE(BigInt(value));
    return isLittle ? big.subarray(0, bytes) : big.subarray(8 - bytes);
  };
  const [counts, entry, offsets] = isBig ? [8, 20, 8] : [2, 12, 4];
  const head = isBig
    ? [form.slice(0, 2), number(43, 2), number(8, 2), number(0, 2), number(16, 8)]
    : [form.slice(0, 2), number(42, 2), number(8, 4)];
  const first = isBig ? 16 : 8;
  const size = counts + entry + offsets;
  const parts: Uint8Array[] = head.map((part) => Buffer.from(part as string));
  for (let at = 1; at <= directories; at += 1) {
    const next = at < directories ? first + at * size : last;
    parts.push(number(1, counts), Buffer.alloc(entry), number(next, offsets));
  }
  return Buffer.concat(parts);
}

test('a TIFF of more than 32 pages is refused, in each form', () => {
  for (const form of ['II*', 'MM*', 'II+', 'MM+'] as const) {
    assert.equal(reasonOf(tiff(32, form)), undefined, form);
    assert.equal(reasonOf(tiff(33, form)), 'UNSUPPORTED_IMAGE_TYPE', form);
    assert.equal(reasonOf(tiff(3, form, form.endsWith('+') ? 16 : 8)), 'UNSUPPORTED_IMAGE_TYPE');
    assert.equal(reasonOf(tiff(3, form, 1e6)), undefined, form);
  }
});

test('a WebP of more than 1,000 chunks is refused', async () => {
  const webp = await quarters(16, 16).webp().toBuffer();
  const chunks = (count: number, chunk: string): Buffer =>
    Buffer.concat([webp, Buffer.from(chunk.repeat(count), 'latin1')]);
  // One byte is padded to two.
  for (const chunk of ['ANMF\0\0\0\0', 'ANMF\x01\0\0\0a\0']) {
    assert.equal(reasonOf(chunks(999, chunk)), undefined);
    assert.equal(reasonOf(chunks(1_000, chunk)), 'UNSUPPORTED_IMAGE_TYPE');
  }
});

const jpegOf = (options: JpegOptions): Promise<Buffer> => quarters(64, 64).jpeg(options).toBuffer();
const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 1, 1, 0]);
const scans = (count: number): Buffer => Buffer.concat(Array<Buffer>(count).fill(scan));

test('a PNG of more than 10 compressed texts and profiles is refused', async () => {
  const png = await quarters(16, 16).png().toBuffer();
  const chunk = (type: string, data: string): Buffer => {
    const bytes = Buffer.from(`____${type}${data}____`, 'latin1');
    bytes.writeUInt32BE(data.length);
    return bytes;
  };
  const file = (at: number, ...parts: Buffer[]): Buffer =>
    Buffer.concat([png.subarray(0, at), ...parts, png.subarray(at)]);
  const times = (count: number, part: Buffer): Buffer => Buffer.concat(Array(count).fill(part));
  const text = chunk('zTXt', 'Comment\0\0abc');
  for (const part of [text, chunk('iTXt', 'Comment\0\x01\0\0\0abc'), chunk('iCCP', 'P3\0\0abc')])
    // Before the pixels and after them.
    for (const at of [33, png.length - 12]) {
      assert.equal(reasonOf(file(at, times(10, part))), undefined);
      assert.equal(reasonOf(file(at, times(9, text), times(2, part))), 'UNSUPPORTED_IMAGE_TYPE');
    }
  const plain = [chunk('iTXt', 'Comment\0\0\0\0\0abc'), chunk('tEXt', 'Comment\0abc')];
  for (const part of plain) assert.equal(reasonOf(file(33, times(20, part))), undefined);
  assert.equal(reasonOf(file(png.length, times(20, text))), undefined);
});

test('a JPEG in CMYK of the usual scans, the most that are usual, passes', async () => {
  const cmyk = quarters(64, 64).toColourspace('cmyk').jpeg({ progressive: true });
  assert.equal(reasonOf(await cmyk.toBuffer()), undefined);
});

test('a JPEG of more than 20 scans is refused', async () => {
  const progressive = await jpegOf({ progressive: true });
  const usual = partsOf.jpeg?.count(progressive, 20) ?? 0;
  assert.ok(usual > 5 && usual < 15, `${usual} scans`);
  assert.equal(reasonOf(Buffer.concat([progressive, scans(20 - usual)])), undefined);
  assert.equal(reasonOf(Buffer.concat([progressive, scans(21 - usual)])), 'UNSUPPORTED_IMAGE_TYPE');
  // A sequential one whose first scan is not of all components.
  const sequential = await jpegOf({ progressive: false });
  const at = sequential.indexOf(Buffer.from([0xff, 0xda]));
  const bomb = Buffer.concat([sequential.subarray(0, at), scans(21)]);
  assert.equal(reasonOf(bomb), 'UNSUPPORTED_IMAGE_TYPE');
});

test('what stands before the first scan of a JPEG hides none', async () => {
  const progressive = await jpegOf({ progressive: true });
  const hidden = (before: number[]): Buffer =>
    Buffer.concat([
      progressive.subarray(0, 2),
      Buffer.from(before),
      progressive.subarray(2),
      scans(60),
    ]);
  const sof = [0xff, 0xc0, 0, 17, 8, 0, 64, 0, 64, 1, 1, 0x11, 0, 0, 0, 0, 0, 0, 0];
  const tricks = {
    'fill bytes': [0xff, 0xff, 0xff],
    rubbish: [1, 2, 3],
    'a restart': [0xff, 0xd0],
    'a comment with a frame in it': [0xff, 0xfe, 0, sof.length + 2, ...sof],
  };
  for (const [what, before] of Object.entries(tricks))
    assert.equal(reasonOf(hidden(before)), 'UNSUPPORTED_IMAGE_TYPE', what);
});

test('what a phone puts behind a picture counts for nothing', async () => {
  const sequential = await jpegOf({ progressive: false });
  assert.equal(reasonOf(Buffer.concat([sequential, scans(60)])), undefined);
});
