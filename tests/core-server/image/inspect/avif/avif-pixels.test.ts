import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeUpright } from '../../../../../core-server/image/decode/decode.js';
import { countFrames } from '../../../../../core-server/image/inspect/avif/av1-frames.js';
import { avifPixels } from '../../../../../core-server/image/inspect/avif/avif-pixels.js';
import { Cursor } from '../../../../../core-server/image/inspect/cursor.js';
import { Refusal } from '../../../../../runtime/errors/refusal.js';
import { be, box, composeAvif, gridOf, overlayOf } from '../../../../helpers/pictures/avif.js';
import { imageFile } from '../../../../helpers/pictures/image-file.js';
import { quarters } from '../../fixtures.js';

const maxPixels = 100_000;

const reasonOf = (file: Buffer): string | undefined => {
  try {
    avifPixels(new Cursor(file), maxPixels);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.reason;
  }
};

test('a grid has the pixels of its tiles, and is served', async () => {
  const derived = { type: 'grid', payload: gridOf(2, 2, 120, 120), side: 120 };
  for (const version of [0, 1, 2] as const) {
    const file = await composeAvif({ side: 64, tiles: 4, derived, version });
    assert.equal(avifPixels(new Cursor(file), maxPixels), 4 * 64 * 64);
    const size = { width: 120, height: 120 };
    const { width } = await decodeUpright({ ...imageFile(file), size, usesProfile: false }, { width: 9, height: 9 });
    assert.equal(width, 9);
  }
});

test('tiles that a grid hides count, though it looks small', async () => {
  const derived = { type: 'grid', payload: gridOf(7, 7, 64, 64), side: 64 };
  assert.equal(reasonOf(await composeAvif({ side: 64, tiles: 48, derived })), undefined);
  assert.equal(reasonOf(await composeAvif({ side: 64, tiles: 49, derived })), 'IMAGE_TOO_MANY_PIXELS');
});

test('each frame of a picture counts', async () => {
  const three = await composeAvif({ side: 64, frames: 3 });
  assert.equal(avifPixels(new Cursor(three), maxPixels), 3 * 64 * 64);
  assert.equal(reasonOf(await composeAvif({ side: 64, frames: 49 })), 'IMAGE_TOO_MANY_PIXELS');
  assert.equal(reasonOf(await composeAvif({ side: 64, frames: 1_000 })), 'CORRUPT_IMAGE');
});

test('frames are found whatever stands between them', () => {
  const [frame, frameHeader, padding] = [0x32, 0x1a, 0x7a];
  const streams: [what: string, frames: number, ...bytes: number[]][] = [
    ['zeros', 2, frame, 1, 7, 0, 0, frame, 1, 7],
    ['other units', 2, padding, 0, frame, 1, 7, padding, 2, frame, frame, frameHeader, 0],
    ['units with an extension', 2, padding + 4, 0, 1, 7, frame + 4, 0, 0, frame, 0],
    ['units of many bytes', 2, padding, 0x82, 2, ...Array<number>(258).fill(frame), frame, 0x80, 0, frame, 0],
    ['one without a length, the last', 1, frame - 2, frame, 0, frame, 0],
  ];
  for (const [what, frames, ...bytes] of streams)
    assert.equal(countFrames(new Cursor(Uint8Array.from(bytes))), frames, what);
});

test('an AVIF of many items that share their bytes is CORRUPT_IMAGE, since each is copied', async () => {
  const derived = { type: 'grid', payload: gridOf(2, 2, 120, 120), side: 120 };
  const compose = (tiles: number): Promise<Buffer> => composeAvif({ side: 64, tiles, frames: 200, derived });
  const few = new Cursor(await compose(4));
  assert.equal(avifPixels(few, 1e9), 4 * 200 * 64 * 64);
  const many = await compose(200);
  assert.throws(() => avifPixels(new Cursor(many), 1e9), { reason: 'CORRUPT_IMAGE' });
  // What is not decoded is copied too.
  for (const type of ['mime', 'uri ']) {
    const metadata = Buffer.from(many.toString('latin1').replaceAll('av01\0', `${type}\0`), 'latin1');
    assert.throws(() => avifPixels(new Cursor(metadata), 1e9), { reason: 'CORRUPT_IMAGE' });
  }
});

test('an AVIF with an item that would be decoded more than once is CORRUPT_IMAGE', async () => {
  const grid = (rows: number) => ({ type: 'grid', payload: gridOf(rows, 2, 64, 64), side: 64 });
  const two = { side: 64, tiles: 2, derived: grid(1) };
  assert.equal(reasonOf(await composeAvif(two)), undefined);
  assert.equal(reasonOf(await composeAvif({ ...two, derived: grid(2), uses: 2 })), 'CORRUPT_IMAGE');
  // The last is an alpha channel of one of three tiles, of several, or a tile too; and what hides that.
  const three = { side: 64, tiles: 3 };
  const alphas: [string, string | undefined, Buffer][] = [
    ['of one', undefined, be(2, 3, 1, 1)],
    ['of two', 'CORRUPT_IMAGE', be(2, 3, 2, 1, 2)],
    ['of one, with more behind it', 'CORRUPT_IMAGE', be(2, 3, 1, 1, 2)],
  ];
  for (const [what, reason, names] of alphas) {
    const file = await composeAvif({ ...three, references: [box('auxl', names)] });
    assert.equal(reasonOf(file), reason, what);
  }
  // Each remembered, they would fill the heap of a worker.
  const many = be(2, 3, 2_000, ...Array.from({ length: 2_000 }, (_, id) => 100 + id));
  assert.equal(reasonOf(await composeAvif({ ...three, references: [box('dimg', many)] })), 'CORRUPT_IMAGE');
  const again = await composeAvif({ ...two, references: [box('auxl', be(2, 2, 1, 1))] });
  assert.equal(reasonOf(again), 'CORRUPT_IMAGE');
});

test('an AVIF that is turned, mirrored or cropped more than once is CORRUPT_IMAGE', async () => {
  const derived = { type: 'grid', payload: gridOf(1, 1, 64, 64), side: 64 };
  for (const parts of [{}, { derived }]) {
    assert.equal(reasonOf(await composeAvif({ side: 64, turns: ['irot', 'imir', 'clap'], ...parts })), undefined);
    for (const name of ['irot', 'imir', 'clap'])
      assert.equal(reasonOf(await composeAvif({ side: 64, turns: [name, name], ...parts })), 'CORRUPT_IMAGE', name);
  }
});

test('an AVIF composed in another way than of tiles is refused', async () => {
  for (const type of ['iovl', 'iden', 'unci', 'tili']) {
    const derived = { type, payload: overlayOf(16_384, 16_384), side: 64 };
    assert.equal(reasonOf(await composeAvif({ side: 64, derived })), 'UNSUPPORTED_IMAGE_TYPE', type);
  }
  const derived = { type: 'grid', payload: gridOf(1, 1, 64, 64), side: 64 };
  assert.equal(reasonOf(await composeAvif({ side: 64, derived, deriveds: 4 })), undefined);
  assert.equal(reasonOf(await composeAvif({ side: 64, derived, deriveds: 5 })), 'UNSUPPORTED_IMAGE_TYPE');
});

test('an AVIF whose EXIF stands in several items or parts is CORRUPT_IMAGE', async () => {
  const exif = { IFD0: { Copyright: 'x' } };
  const file = await quarters(64, 64).withExif(exif).withXmp('<x/>').avif().toBuffer();
  assert.equal(reasonOf(file), undefined);
  const twice = Buffer.from(file);
  twice.write('Exif', twice.indexOf('mime'));
  assert.equal(reasonOf(twice), 'CORRUPT_IMAGE');
});

test('an AVIF that can be read in two ways is CORRUPT_IMAGE', async () => {
  const file = await composeAvif({ side: 64 });
  const end = file.indexOf('mdat') - 4;
  const start = file.indexOf('meta') - 4;
  const meta = file.subarray(start, end);
  assert.equal(reasonOf(Buffer.concat([file, box('free', Buffer.alloc(64))])), undefined);
  assert.equal(reasonOf(Buffer.concat([file, meta])), 'CORRUPT_IMAGE');
  assert.equal(reasonOf(Buffer.concat([file, box('mini')])), 'CORRUPT_IMAGE');
  // Of the last of four items, the number in the tables of their types, places and properties.
  const derived = { type: 'grid', payload: gridOf(1, 1, 64, 64), side: 64 };
  const four = await composeAvif({ side: 64, derived, deriveds: 2 });
  for (const at of [four.lastIndexOf('infe') + 8, four.indexOf('iloc') + 54, four.indexOf('ipma') + 29]) {
    assert.equal(four.readUInt16BE(at), 4);
    const twice = Buffer.from(four);
    twice.writeUInt16BE(3, at);
    assert.equal(reasonOf(twice), 'CORRUPT_IMAGE');
  }
  for (const name of ['meta', 'iloc', 'iinf', 'iprp', 'ipco', 'ipma', 'ispe', 'av1C']) {
    const nameless = Buffer.from(file);
    nameless.write('free', nameless.indexOf(name));
    const twice = Buffer.from(file);
    const others = ['hdlr', 'pitm', 'iref', 'pixi'];
    others.forEach((other) => twice.write(name, twice.indexOf(other)));
    assert.equal(reasonOf(nameless), 'CORRUPT_IMAGE', `no ${name}`);
    if (name !== 'meta' && name !== 'ipco' && name !== 'ipma')
      assert.equal(reasonOf(twice), 'CORRUPT_IMAGE', `two ${name}`);
  }
});

test('whatever is damaged in an AVIF, it is counted or refused', async () => {
  const derived = { type: 'grid', payload: gridOf(2, 2, 120, 120), side: 120 };
  const files = [
    await composeAvif({ side: 64, tiles: 4, derived, version: 1 }),
    await quarters(64, 64).ensureAlpha(0.5).avif({ effort: 0 }).toBuffer(),
  ];
  for (const file of files) {
    for (let at = 0; at < file.length; at += 1) {
      reasonOf(file.subarray(0, at));
      for (const byte of [0, 1, 0x7f, 0xff]) {
        const damaged = Buffer.from(file);
        damaged[at] = byte;
        reasonOf(damaged);
      }
    }
  }
});
