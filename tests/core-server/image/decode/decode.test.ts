import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { decodeRegion, decodeUpright, mirrorPicture } from '../../../../core-server/image/decode/decode.js';
import { openPicture, readHeader } from '../../../../core-server/image/decode/open-picture.js';
import { restrictLoaders } from '../../../../core-server/image/decode/restrict-loaders.js';
import { type RgbPicture, scaledSize } from '../../../../core-server/image/picture.js';
import { copyRegion, padToMultiple } from '../../../../core-server/image/resize/copy-region.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { composeTiff } from '../../../helpers/pictures/tiff.js';
import { colourDistance, coloursOf, defaultLimits, quarterColours, quarters } from '../fixtures.js';

before(restrictLoaders);

const size = { width: 96, height: 64 };
const decode = async (bytes: Uint8Array) => decodeUpright(await readHeader(imageFile(bytes), defaultLimits), size);
test('every kind of picture is decoded to upright RGB of the same colours', async () => {
  const animated = await sharp([await quarters().png().toBuffer(), await quarters().negate().png().toBuffer()], {
    join: { animated: true },
  })
    .gif()
    .toBuffer();
  assert.equal((await sharp(animated).metadata()).pages, 2);
  const table: [string, Buffer, number][] = [
    ['JPEG', await quarters().jpeg({ quality: 95 }).toBuffer(), 6],
    ['progressive JPEG', await quarters().jpeg({ quality: 95, progressive: true }).toBuffer(), 6],
    ['PNG', await quarters().png().toBuffer(), 0],
    ['PNG with a palette', await quarters().png({ palette: true }).toBuffer(), 3],
    ['PNG with 16 bits', await quarters().toColourspace('rgb16').png().toBuffer(), 1],
    ['WebP', await quarters().webp({ quality: 95 }).toBuffer(), 8],
    ['AVIF', await quarters().avif({ quality: 90 }).toBuffer(), 8],
    ['GIF', await quarters().gif().toBuffer(), 4],
    ['GIF with frames: the first', animated, 4],
    ['TIFF', await quarters().tiff({ compression: 'lzw' }).toBuffer(), 0],
    ['TIFF in CMYK', await quarters().toColourspace('cmyk').tiff().toBuffer(), 70],
    ['JPEG in CMYK', await quarters().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(), 70],
    ['JPEG in Display P3', await quarters().withIccProfile('p3').jpeg({ quality: 95 }).toBuffer(), 8],
    ['PNG with opaque alpha', await quarters().ensureAlpha().png().toBuffer(), 0],
  ];
  for (const [name, bytes, tolerance] of table) {
    const picture = await decode(bytes);
    assert.equal(picture.data.length, 96 * 64 * 3, name);
    const distance = colourDistance(coloursOf(picture), quarterColours);
    assert.ok(distance <= tolerance, `${name}: off by ${distance}`);
  }
});

test('a large JPEG shows the same in its smaller copy, whichever edges libvips cuts', async () => {
  // A ramp from left to right, of which four columns are left out where it is shrunk by 8, and none by 4.
  const [width, height] = [2404, 800];
  const row = Buffer.from(Array.from({ length: width }, (_, x) => Math.round((x * 255) / (width - 1))));
  const ramp = sharp(Buffer.concat(Array.from({ length: height }, () => row)), { raw: { width, height, channels: 1 } });
  const upright = await ramp.jpeg({ quality: 98 }).toBuffer();
  const turned = await ramp.flop().flip().withMetadata({ orientation: 3 }).jpeg({ quality: 98 }).toBuffer();
  const meanOf = ({ data }: RgbPicture) => data.reduce((sum, value) => sum + value, 0) / data.length;
  const copyOf = async (bytes: Buffer) => decodeUpright(await readHeader(imageFile(bytes), defaultLimits), size);
  const [a, b] = [meanOf(await copyOf(upright)), meanOf(await copyOf(turned))];
  assert.ok(Math.abs(a - b) < 0.2, `${a} and ${b}`);
});

test('grey pictures of 8 and 16 bits become three equal channels', async () => {
  const grey = quarters().greyscale();
  for (const space of ['b-w', 'grey16']) {
    const { data } = await decode(await grey.clone().toColourspace(space).png().toBuffer());
    assert.equal(data.length, 96 * 64 * 3);
    assert.ok(data[0] === data[1] && data[1] === data[2] && (data[0] ?? 0) > 30, space);
  }
});

test('what is transparent becomes white', async () => {
  const clear = sharp({ create: { ...size, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
  for (const bytes of [
    await clear.clone().png().toBuffer(),
    await clear.clone().webp().toBuffer(),
    await clear.clone().greyscale().png().toBuffer(),
  ]) {
    assert.deepEqual(coloursOf(await decode(bytes)), Array(4).fill([255, 255, 255]));
  }
});

test('a mirror image has left and right exchanged', async () => {
  const picture = await decode(await quarters().png().toBuffer());
  const [topLeft, topRight, bottomLeft, bottomRight] = coloursOf(picture);
  const mirrored = await mirrorPicture(picture);
  assert.deepEqual([mirrored.width, mirrored.height], [picture.width, picture.height]);
  assert.deepEqual(coloursOf(mirrored), [topRight, topLeft, bottomRight, bottomLeft]);
});

test('every EXIF orientation is turned upright, in header, whole and part', async () => {
  // How the stored picture is made out of the upright one: mirrored or not, then turned.
  const stored: [tag: number, isMirrored: boolean, degrees: number][] = [
    [1, false, 0],
    [2, true, 0],
    [3, false, 180],
    [4, true, 180],
    [5, true, 270],
    [6, false, 270],
    [7, true, 90],
    [8, false, 90],
  ];
  for (const [orientation, isMirrored, degrees] of stored) {
    // In two steps, since one pipeline has its own order of turning and mirroring.
    const first = await quarters().flop(isMirrored).png().toBuffer();
    const tagged = sharp(first).rotate(degrees).withMetadata({ orientation });
    const bytes = await tagged.jpeg({ quality: 95 }).toBuffer();
    const stated = (await sharp(bytes).metadata()).orientation;
    assert.equal(stated, orientation);
    const file = await readHeader(imageFile(bytes), defaultLimits);
    assert.deepEqual(file.size, size, `size, ${orientation}`);
    const whole = coloursOf(await decodeUpright(file, size));
    assert.ok(colourDistance(whole, quarterColours) <= 6, `colours, ${orientation}`);
    const topRight = await decodeRegion(file, { left: 56, top: 8, width: 32, height: 16 });
    assert.deepEqual([topRight.width, topRight.height], [32, 16]);
    const [, green] = quarterColours;
    const distance = colourDistance(coloursOf(topRight), [green, green, green, green]);
    assert.ok(distance <= 6, `part, ${orientation}`);
  }
});

test('pictures of one pixel are decoded', async () => {
  for (const type of ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const) {
    const bytes = await quarters(1, 1)[type]().toBuffer();
    const file = await readHeader(imageFile(bytes), defaultLimits);
    assert.deepEqual(file.size, { width: 1, height: 1 });
    assert.equal((await decodeUpright(file, file.size)).data.length, 3, type);
  }
});

test('a picture of the longest side passes, one pixel more is refused before decoding', async () => {
  const blank = (width: number, height: number): Promise<Buffer> =>
    sharp({ create: { width, height, channels: 3, background: '#123456' } })
      .png()
      .toBuffer();
  const longest = await readHeader(imageFile(await blank(16_384, 1)), defaultLimits);
  assert.deepEqual(longest.size, { width: 16_384, height: 1 });
  for (const [width, height] of [
    [16_385, 1],
    [1, 16_385],
    [30_000, 1],
  ] as const) {
    await assert.rejects(readHeader(imageFile(await blank(width, height)), defaultLimits), {
      name: 'Refusal',
      reason: 'IMAGE_TOO_MANY_PIXELS',
      message: `image has a side of ${Math.max(width, height)} pixels (${width} x ${height}), want at most 16384`,
    });
  }
});

test('a picture of exactly the most pixels passes, one row more is refused before decoding', async () => {
  const limits = { ...defaultLimits, maxPixels: 96 * 64 };
  assert.deepEqual((await readHeader(imageFile(await quarters().png().toBuffer()), limits)).size, size);
  await assert.rejects(readHeader(imageFile(await quarters(96, 65).png().toBuffer()), limits), {
    name: 'Refusal',
    reason: 'IMAGE_TOO_MANY_PIXELS',
    message: 'image has 6240 pixels (96 x 65), want at most 6144',
  });
});

test('the header of a decompression bomb is refused without its pixels', async () => {
  // A small file that claims 60,000 x 60,000: decoding would take 10 GB.
  const bomb = await quarters().png().toBuffer();
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
  await assert.rejects(readHeader(imageFile(bomb), defaultLimits), {
    name: 'Refusal',
    reason: 'IMAGE_TOO_MANY_PIXELS',
  });
});

test('a truncated file is CORRUPT_IMAGE, whatever its type, and says nothing of the decoder', async () => {
  for (const type of ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const) {
    const noise = sharp({
      create: {
        width: 256,
        height: 256,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 120, sigma: 50 },
      },
    });
    const whole = await noise[type]().toBuffer();
    for (const share of [0.02, 0.5, 0.9]) {
      const cut = whole.subarray(0, Math.floor(whole.length * share));
      await assert.rejects(
        readHeader(imageFile(cut), defaultLimits).then((found) => decodeUpright(found, found.size)),
        { name: 'Refusal', reason: 'CORRUPT_IMAGE', message: 'image is damaged or cut off, want a whole picture file' },
        `${type} cut to ${share}`,
      );
    }
  }
});

test('a truncated TIFF is CORRUPT_IMAGE even if its directory stands before the pixels', async () => {
  const pixels = await quarters().greyscale().raw().toBuffer();
  for (const [compression, strip] of [
    [1, pixels],
    [8, deflateSync(pixels)],
  ] as const) {
    const whole = composeTiff(strip, { ...size, compression });
    assert.equal((await decode(whole)).width, size.width);
    for (const share of [0.5, 0.9]) {
      const cut = whole.subarray(0, Math.floor(whole.length * share));
      await assert.rejects(decode(cut), { name: 'Refusal', reason: 'CORRUPT_IMAGE' }, `${compression}, ${share}`);
      await assert.rejects(openPicture(imageFile(cut), defaultLimits), { name: 'Refusal', reason: 'CORRUPT_IMAGE' });
    }
  }
});

test('a TIFF of more channels than its colours have is CORRUPT_IMAGE', async () => {
  const bytes = await quarters().ensureAlpha().tiff({ compression: 'none' }).toBuffer();
  const [rgb, grey] = [2, 1].map((photometric) => Buffer.from([262 % 256, 1, 3, 0, 1, 0, 0, 0, photometric, 0]));
  assert.ok(rgb && grey);
  grey.copy(bytes, bytes.indexOf(rgb));
  await assert.rejects(decode(bytes), { name: 'Refusal', reason: 'CORRUPT_IMAGE' });
});

test('what takes libvips longer than anybody waits is given up', async () => {
  const row = await sharp({ create: { width: 16, height: 1, channels: 3, background: 'grey' } })
    .toColourspace('b-w')
    .jpeg()
    .toBuffer();
  // Each of 16,000 rows is a JPEG behind a megabyte of fill bytes: 13 s in all.
  const strip = Buffer.concat([row.subarray(0, 2), Buffer.alloc(1_000_000, 0xff), row.subarray(2)]);
  const bytes = composeTiff(strip, { width: 16, height: 16_000, compression: 7, strips: 16_000 });
  const tall = { width: 16, height: 16_000 };
  const file = { ...imageFile(bytes), size: tall, usesProfile: false, maxSeconds: 1 };
  await assert.rejects(decodeUpright(file, tall), { reason: 'CORRUPT_IMAGE' });
});

test('the lesser damage that phones and mail programs do is forgiven', async () => {
  const jpeg = await quarters(640, 480).jpeg().toBuffer();
  const middle = Math.floor(jpeg.length / 2);
  const insert = (at: number, extra: Buffer): Buffer => Buffer.concat([jpeg.subarray(0, at), extra, jpeg.subarray(at)]);
  const brokenExif = Buffer.from('\xff\xe1\0\x14Exif\0\0garbagegarb\0', 'latin1');
  const table: [string, Buffer][] = [
    ['rubbish after the end', Buffer.concat([jpeg, Buffer.alloc(500, 7)])],
    ['broken EXIF', insert(2, brokenExif)],
    ['a stray marker in the data', insert(middle, Buffer.from([0xff, 0x55, 0, 0]))],
  ];
  for (const [name, bytes] of table) {
    assert.equal((await decode(bytes)).width, 96, name);
  }
});

test('bytes of a type without a loader are refused even where the sniffing is passed by', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  for (const bytes of [svg, Buffer.from('%PDF-1.7\n1 0 obj'), Buffer.from('P3 1 1 255 0 0 0')]) {
    await assert.rejects(readHeader(imageFile(bytes), defaultLimits), { name: 'Refusal', reason: 'CORRUPT_IMAGE' });
  }
});

test('restricting the loaders again while pictures are decoded disturbs none', async () => {
  const bytes = await quarters(640, 480).png().toBuffer();
  const decoding = Array.from({ length: 40 }, () => decode(bytes));
  for (let i = 0; i < 40; i += 1) await restrictLoaders();
  assert.equal((await Promise.all(decoding)).length, 40);
});

test('a scaled size is whole and never vanishes', () => {
  const table: [number, number, number, number, number][] = [
    [4000, 3000, 0.16, 640, 480],
    [640, 480, 1, 640, 480],
    [1281, 1, 0.5, 641, 1],
    [1, 16_384, 0.04, 1, 655],
    [100, 50, 1.5, 150, 75],
  ];
  for (const [width, height, scale, wantWidth, wantHeight] of table) {
    const want = { width: wantWidth, height: wantHeight };
    assert.deepEqual(scaledSize({ width, height }, scale), want);
  }
});

test('a region that reaches beyond the picture is black there', () => {
  // One pixel a letter, in three equal bytes.
  const pixels = (letters: string) =>
    Uint8Array.from([...letters].flatMap((c) => Array<number>(3).fill(c === '.' ? 0 : c.charCodeAt(0))));
  const picture = { data: pixels('abcdef'), width: 3, height: 2 };
  const table: [left: number, top: number, width: number, height: number, want: string][] = [
    [1, 0, 2, 2, 'bcef'],
    [1, 1, 1, 1, 'e'],
    [0, 0, 4, 3, 'abc.def.....'],
    [-1, -1, 5, 4, '......abc..def......'],
    [0, -1, 3, 4, '...abcdef...'],
    [-1, 1, 3, 2, '.de...'],
    [1, 0, 3, 2, 'bc.ef.'],
  ];
  for (const [left, top, width, height, want] of table) {
    const copy = copyRegion(picture, { left, top, width, height });
    assert.deepEqual(copy, { data: pixels(want), width, height }, want);
  }
  assert.equal(copyRegion(picture, { left: 0, top: 0, width: 3, height: 2 }), picture);
});

test('padding adds black below and to the right and moves nothing', () => {
  const picture = { data: Uint8Array.from({ length: 3 * 2 * 3 }, (_, i) => i + 1), width: 3, height: 2 };
  const padded = padToMultiple(picture, 4);
  assert.deepEqual([padded.width, padded.height], [4, 4]);
  assert.deepEqual(
    [...padded.data],
    [
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0],
      ...[10, 11, 12, 13, 14, 15, 16, 17, 18, 0, 0, 0],
      ...Array<number>(24).fill(0),
    ],
  );
  const fitting = { data: new Uint8Array(32 * 64 * 3), width: 32, height: 64 };
  assert.equal(padToMultiple(fitting, 32), fitting);
});
