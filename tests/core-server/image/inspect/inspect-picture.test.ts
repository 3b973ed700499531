import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectPicture } from '../../../../core-server/image/inspect/inspect-picture.js';
import {
  composeDirectories,
  composeTiff,
  type TiffForm,
  tiffForms,
  tiffWriter,
} from '../../../helpers/pictures/tiff.js';
import { quarters } from '../fixtures.js';

const limits = { maxPixels: 100_000 };

test('an AVIF weighs what it has of the largest picture, with its alpha channel', async () => {
  const avif = await quarters(200, 125).avif({ effort: 0 }).toBuffer();
  assert.equal(inspectPicture({ bytes: avif, type: 'avif' }, limits), 0.25);
  assert.equal(inspectPicture({ bytes: avif, type: 'avif' }, { maxPixels: 12_500 }), 1);
  const clear = quarters(200, 125).ensureAlpha(0.5).avif({ effort: 0 });
  assert.equal(inspectPicture({ bytes: await clear.toBuffer(), type: 'avif' }, limits), 0.5);
});

/** The header of a TIFF of 100 x 200 pixels in four channels. */
function tiff(bits: number, form: TiffForm = 'II*'): Buffer {
  const { number, field } = tiffWriter(form);
  const four = Buffer.alloc(8, number(bits, 2));
  // Four values of two bytes fit into the field of a BigTIFF only.
  const bitsField = field(258, 3, 4, form.endsWith('+') ? four : 8);
  const fields = [field(256, 3, 1, 100), field(257, 4, 1, 200), bitsField, field(277, 3, 1, 4)];
  return composeDirectories(form, [fields], 0, four);
}

test('a TIFF weighs what all its pixels and one channel more take at once', () => {
  for (const form of tiffForms) {
    // 100 x 200 pixels of four channels and one, to 2.4 MB.
    assert.equal(inspectPicture({ bytes: tiff(16, form), type: 'tiff' }, limits), 200 / 2_400, form);
    assert.equal(inspectPicture({ bytes: tiff(8, form), type: 'tiff' }, limits), 100 / 2_400, form);
  }
  assert.equal(inspectPicture({ bytes: tiff(16), type: 'tiff' }, { maxPixels: 5_000 }), 1);
  const whole = tiff(16);
  for (let length = 8; length < whole.length; length += 1) {
    const weight = inspectPicture({ bytes: whole.subarray(0, length), type: 'tiff' }, limits);
    assert.ok(weight >= 0 && weight <= 1, String(length));
  }
});

test('no type of a field makes a TIFF lighter', () => {
  // In a BigTIFF, the values of all types are in the field itself.
  const whole = tiff(16, 'II+');
  const weight = inspectPicture({ bytes: whole, type: 'tiff' }, limits);
  const directory = whole.readUInt32LE(8);
  for (let field = 0; field < whole.readUInt32LE(directory); field += 1) {
    for (let type = 0; type < 2 ** 16; type += type < 256 ? 1 : 255) {
      const mistyped = Buffer.from(whole);
      mistyped.writeUInt16LE(type, directory + 8 + 20 * field + 2);
      assert.ok(inspectPicture({ bytes: mistyped, type: 'tiff' }, limits) >= weight, `${field}: type ${type}`);
    }
  }
});

test('a TIFF of floats, signed or long numbers is refused, which would be shown in wrong colours', () => {
  const grey = composeTiff(Buffer.alloc(64), { width: 8, height: 8 });
  const inspect = (format: number, bits = 8): number => {
    const file = Buffer.from(grey);
    // RowsPerStrip, which is not needed here, becomes SampleFormat.
    const field = file.indexOf(Buffer.from([278 % 256, 1, 4, 0]));
    file.writeUInt16LE(339, field);
    file.writeUInt32LE(format, field + 8);
    file.writeUInt32LE(bits, file.indexOf(Buffer.from([258 % 256, 1, 3, 0])) + 8);
    return inspectPicture({ bytes: file, type: 'tiff' }, limits);
  };
  for (const [format, bits] of [
    [2, 16],
    [3, 32],
    [6, 64],
    [1, 32],
  ] as const)
    assert.throws(() => inspect(format, bits), { reason: 'UNSUPPORTED_IMAGE_TYPE' }, `${format} ${bits}`);
  for (const [format, bits] of [
    [1, 8],
    [4, 8],
    [1, 16],
    [1, 1],
  ] as const)
    assert.ok(inspect(format, bits) >= 0);
});

test('a TIFF of colours, channels or planes that libvips does not read, or shows wrong, is refused as that', () => {
  const { field } = tiffWriter('II*');
  const jpeg = 7;
  const [grey, rgb, palette, mask, cmyk, ycc, lab] = [1, 2, 3, 4, 5, 6, 8];
  const inspect = (fields: Record<number, number | Buffer>): number => {
    const directory = Object.entries(fields).map(([tag, value]) =>
      field(Number(tag), 3, typeof value === 'number' ? 1 : value.length / 2, value),
    );
    return inspectPicture({ bytes: composeDirectories('II*', [directory]), type: 'tiff' }, limits);
  };
  const subsampling = (across: number, down: number) => Buffer.from([across, 0, down, 0]);
  for (const refused of [
    { 259: 1, 262: ycc, 530: subsampling(1, 1) },
    { 259: 8, 262: ycc, 530: subsampling(1, 1) },
    { 258: 8, 262: rgb, 277: 3, 284: 2 },
    { 258: 8, 262: lab, 277: 3 },
    { 258: 16, 262: lab, 277: 4 },
    { 258: 1, 262: mask },
    { 258: 12, 262: rgb, 277: 3 },
    { 258: 5, 262: rgb, 277: 3 },
    { 258: 4, 262: rgb, 277: 3 },
    { 258: 4, 262: grey, 277: 2 },
    { 258: 8, 262: rgb, 277: 4, 338: 0 },
    { 258: 8, 262: grey, 277: 2, 338: 0 },
    { 258: 8, 262: cmyk, 277: 5, 338: 0 },
    { 258: 8, 262: rgb, 277: 5, 338: Buffer.from([2, 0, 0, 0]) },
  ])
    assert.throws(() => inspect(refused), { reason: 'UNSUPPORTED_IMAGE_TYPE' }, JSON.stringify(refused));
  for (const read of [
    { 259: 1, 262: ycc },
    { 259: 1, 262: ycc, 530: subsampling(1, 2) },
    { 259: jpeg, 262: ycc, 530: subsampling(1, 1) },
    { 259: 1, 262: rgb, 530: subsampling(1, 1) },
    { 258: 8, 262: grey, 277: 2, 284: 1 },
    { 258: 8, 262: rgb, 277: 3, 322: 64 },
    { 258: 8, 262: rgb, 277: 4 },
    { 258: 8, 262: rgb, 277: 4, 338: 1 },
    { 258: 16, 262: cmyk, 277: 5, 338: 2 },
    { 258: 4, 262: palette },
  ])
    assert.equal(inspect(read), 0, JSON.stringify(read));
});

test('a TIFF that begins with a preview is refused, as camera raw files do, which would be shown that small', () => {
  const { field } = tiffWriter('II*');
  const inspect = (subfileType: number): number => {
    const fields = [field(254, 4, 1, subfileType), field(258, 3, 1, 8), field(262, 3, 1, 1)];
    return inspectPicture({ bytes: composeDirectories('II*', [fields]), type: 'tiff' }, limits);
  };
  for (const preview of [1, 3]) assert.throws(() => inspect(preview), { reason: 'UNSUPPORTED_IMAGE_TYPE' });
  // The picture itself, a page of several.
  for (const picture of [0, 2]) assert.equal(inspect(picture), 0);
});

test('a TIFF is read as far as libtiff reads it, not every field of millions', () => {
  const whole = tiff(16);
  const directory = whole.readUInt32LE(4);
  const fillUp = (fields: number): Buffer => {
    const added = fields - whole.readUInt16LE(directory);
    const parts = [whole.subarray(0, directory + 2), Buffer.alloc(12 * added)];
    const file = Buffer.concat([...parts, whole.subarray(directory + 2)]);
    file.writeUInt16LE(fields, directory);
    return file;
  };
  // The last field says that there are four channels.
  assert.equal(inspectPicture({ bytes: fillUp(4_096), type: 'tiff' }, limits), 200 / 2_400);
  assert.equal(inspectPicture({ bytes: fillUp(4_097), type: 'tiff' }, limits), 80 / 2_400);
});

test('a TIFF whose strips or tiles share their bytes is CORRUPT_IMAGE, since each is read as a whole', () => {
  const strip = Buffer.alloc(1_000_000);
  const inspect = (options: { strips: number; stripBytes?: number }, isTiled = false): number => {
    const bytes = composeTiff(strip, { width: 16, height: 16_000, compression: 7, ...options });
    // StripByteCounts become TileByteCounts.
    if (isTiled) bytes.writeUInt16LE(325, bytes.lastIndexOf(Buffer.from([279 % 256, 1, 4, 0]), 200));
    return inspectPicture({ bytes, type: 'tiff' }, limits);
  };
  for (const isTiled of [false, true]) {
    assert.throws(() => inspect({ strips: 5 }, isTiled), { reason: 'CORRUPT_IMAGE' });
    assert.throws(() => inspect({ strips: 16_000 }, isTiled), { reason: 'CORRUPT_IMAGE' });
    assert.ok(inspect({ strips: 1_000, stripBytes: 1_000 }, isTiled) >= 0);
    // Some programs write it so.
    assert.ok(inspect({ strips: 1, stripBytes: 2 ** 32 - 1 }, isTiled) >= 0);
  }
});

test('a TIFF whose fields share their values is CORRUPT_IMAGE, since each is read as a whole', () => {
  const { field } = tiffWriter('II*');
  const bytes = Buffer.alloc(1_000_000);
  const inspect = (fields: number, type: number, count: number): number => {
    const directory = Array.from({ length: fields }, (_, index) => field(40_000 + index, type, count, 8));
    bytes.set(composeDirectories('II*', [directory]));
    return inspectPicture({ bytes, type: 'tiff' }, limits);
  };
  // Texts, fractions, doubles, and bytes of no meaning.
  for (const [type, size] of Object.entries({ 2: 1, 5: 8, 7: 1, 12: 8 })) {
    assert.equal(inspect(1, Number(type), 1_000_000 / size), 0);
    assert.throws(() => inspect(5, Number(type), 1_000_000 / size), { reason: 'CORRUPT_IMAGE' });
  }
  assert.equal(inspect(900, 5, 100), 0);
});

test('a HEIC weighs so much that two are not decoded at once, and pictures of the other types weigh nothing', () => {
  assert.equal(inspectPicture({ bytes: Buffer.alloc(100), type: 'heic' }, limits), 0.75);
  for (const type of ['jpeg', 'png', 'webp', 'gif', 'tiff'] as const)
    assert.equal(inspectPicture({ bytes: Buffer.alloc(100), type }, limits), 0, type);
});
