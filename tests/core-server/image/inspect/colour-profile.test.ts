import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { decodeRegion, decodeUpright } from '../../../../core-server/image/decode/decode.js';
import { openPicture, readHeader } from '../../../../core-server/image/decode/open-picture.js';
import { restrictLoaders } from '../../../../core-server/image/decode/restrict-loaders.js';
import { isPlainProfile } from '../../../../core-server/image/inspect/colour-profile.js';
import { type RgbPicture, wholeOf } from '../../../../core-server/image/picture.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { insertInPng } from '../../../helpers/pictures/png.js';
import { colourDistance, coloursOf, defaultLimits, quarterColours, quarters } from '../fixtures.js';

before(restrictLoaders);

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value, i * 4));
  return bytes;
};

/** A profile of the given tags, of a screen unless `kind` says otherwise. */
function profileOf(
  tags: readonly (readonly [name: string, data: Buffer])[],
  kind: { class?: string; space?: string } = {},
): Buffer {
  const header = Buffer.alloc(128);
  header.writeUInt32BE(0x04300000, 8);
  header.write(`${kind.class ?? 'mntr'}${kind.space ?? 'RGB '}XYZ `, 12);
  header.write('acsp', 36);
  numbers(63190, 65536, 54061).copy(header, 68);
  const table = [numbers(tags.length)];
  let at = 132 + 12 * tags.length;
  for (const [name, data] of tags) {
    table.push(Buffer.from(name), numbers(at, data.length));
    at += data.length;
  }
  header.writeUInt32BE(at, 0);
  return Buffer.concat([header, ...table, ...tags.map(([, data]) => data)]);
}

const xyz = (...values: number[]): Buffer =>
  Buffer.concat([Buffer.from('XYZ \0\0\0\0'), numbers(...values.map((v) => v * 65536))]);
const gamma = Buffer.from('curv\0\0\0\0\0\0\0\x01\x02\x33\0\0', 'latin1');
/** Red and green are each other's: a picture shows whether its profile was applied. */
const swapped = [
  ['wtpt', xyz(0.9642, 1, 0.8249)],
  ['rXYZ', xyz(0.3851, 0.7169, 0.0971)],
  ['gXYZ', xyz(0.436, 0.2225, 0.0139)],
  ['bXYZ', xyz(0.1431, 0.0606, 0.7141)],
  ['rTRC', gamma],
  ['gTRC', gamma],
  ['bTRC', gamma],
] as const;
/** Leads to one and the same matrix so often that LittleCMS takes seconds, and a day for a few megabytes. */
function manySteps(): Buffer {
  const steps = 3_000;
  const matrix = Buffer.alloc(60);
  matrix.write('matf');
  matrix.set([0, 3, 0, 3], 8);
  for (const diagonal of [0, 4, 8]) matrix.writeFloatBE(1, 12 + diagonal * 4);
  const places = numbers(...Array.from({ length: steps }, () => [16 + steps * 8, 60]).flat());
  const head = Buffer.concat([Buffer.from('mpet\0\0\0\0\0\x03\0\x03'), numbers(steps)]);
  return Buffer.concat([head, places, matrix]);
}
const costly = profileOf([...swapped, ['D2B0', manySteps()]]);

/** The picture of four colours in each type that has profiles, its colours those of the profile. */
async function filesWith(profile: Buffer): Promise<[type: string, file: Buffer][]> {
  const folder = await mkdtemp(join(tmpdir(), 'profile-'));
  const path = join(folder, 'profile.icc');
  await writeFile(path, profile);
  const types = ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const;
  const files = types.map(async (type): Promise<[string, Buffer]> => {
    const picture = quarters(960, 640).withIccProfile(path);
    const file = await picture[type]({ quality: 95 }).toBuffer();
    assert.deepEqual((await sharp(file).metadata()).icc, profile, type);
    return [type, file];
  });
  return Promise.all(files).finally(() => rm(folder, { recursive: true }));
}

const size = { width: 96, height: 64 };
/** Pictures of all decodings that a caller's file goes through. */
async function decodings(file: Buffer): Promise<RgbPicture[]> {
  const opened = await readHeader(imageFile(file), defaultLimits);
  const { decoded } = await openPicture(imageFile(file), defaultLimits);
  assert.ok(decoded);
  return [decoded.picture, await decodeUpright(opened, size), await decodeRegion(opened, wholeOf(opened.size))];
}

test('the colours of a profile of curves and a matrix are converted to sRGB', async () => {
  for (const [type, file] of await filesWith(profileOf(swapped)))
    for (const picture of await decodings(file)) {
      const distance = colourDistance(coloursOf(picture), quarterColours);
      assert.ok(distance <= 10, `${type}: off by ${distance}`);
    }
});

test('16 bits are converted as 8 are', async () => {
  const png = (await filesWith(profileOf(swapped))).find(([type]) => type === 'png')?.[1] ?? Buffer.alloc(0);
  const stored = await sharp(png, { ignoreIcc: true }).raw().toBuffer();
  const deep = sharp(
    Uint16Array.from(stored, (value) => value * 257),
    { raw: { width: 960, height: 640, channels: 3 } },
  );
  const [at, end] = [png.indexOf('iCCP') - 4, png.indexOf('iCCP') + 8 + png.readUInt32BE(png.indexOf('iCCP') - 4)];
  const bytes = insertInPng(await deep.toColourspace('rgb16').png().toBuffer(), png.subarray(at, end));
  assert.deepEqual([(await sharp(bytes).metadata()).depth, bytes.includes('iCCP')], ['ushort', true]);
  for (const picture of await decodings(bytes)) {
    const distance = colourDistance(coloursOf(picture), quarterColours);
    assert.ok(distance <= 4, `off by ${distance}`);
  }
});

test('a profile that may cost anything is ignored', async () => {
  const swap = ([red = 0, green = 0, blue = 0]: readonly number[]) => [green, red, blue];
  for (const [type, file] of await filesWith(costly))
    for (const picture of await decodings(file)) {
      const distance = colourDistance(coloursOf(picture), quarterColours.map(swap));
      assert.ok(distance <= 10, `${type}: off by ${distance}`);
    }
});

test('a CMYK picture is converted with the default profile instead of its own', async () => {
  const file = await quarters().withIccProfile('cmyk').jpeg({ quality: 95 }).toBuffer();
  for (const picture of await decodings(file)) {
    const distance = colourDistance(coloursOf(picture), quarterColours);
    assert.ok(distance <= 70, `off by ${distance}`);
  }
});

test('a plain profile is a small one of curves and a matrix', () => {
  const sized = (bytes: number): Buffer =>
    Buffer.concat([profileOf(swapped), Buffer.alloc(bytes - profileOf(swapped).length)]);
  const tags = (count: number): Buffer =>
    profileOf(Array.from({ length: count }, (_, i) => [`t${i}__`.slice(0, 4), gamma] as const));
  const table: [what: string, profile: Buffer, isPlain: boolean][] = [
    ['of a screen', profileOf(swapped), true],
    ['of a camera', profileOf(swapped, { class: 'scnr' }), true],
    ['of grey', profileOf([['kTRC', gamma]], { space: 'GRAY' }), true],
    ['of a print', profileOf(swapped, { class: 'prtr', space: 'CMYK' }), false],
    ['that links two devices', profileOf(swapped, { class: 'link' }), false],
    ['of named colours', profileOf(swapped, { class: 'nmcl' }), false],
    ['of 64 KiB', sized(65_536), true],
    ['of a byte more', sized(65_537), false],
    ['of 100 tags', tags(100), true],
    ['of 101 tags', tags(101), false],
    ['cut off in its tags', profileOf(swapped).subarray(0, 140), false],
    ['cut off in its header', profileOf(swapped).subarray(0, 131), false],
  ];
  for (const [what, profile, isPlain] of table) assert.equal(isPlainProfile(profile), isPlain, what);
  for (const tag of ['A2B0', 'A2B1', 'A2B2', 'B2A0', 'D2B0', 'D2B3', 'B2D0'])
    assert.equal(isPlainProfile(profileOf([...swapped, [tag, gamma]])), false, tag);
});
