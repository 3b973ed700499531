import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp, { type JpegOptions } from 'sharp';
import { Cursor } from '../../../../core-server/image/inspect/cursor.js';
import { inspectPicture } from '../../../../core-server/image/inspect/inspect-picture.js';
import { jpegSegments, startOfScan } from '../../../../core-server/image/inspect/jpeg-segments.js';
import { asRefusal } from '../../../../runtime/errors/refusal.js';
import { composeExif, directoryBytes, exifRing, firstDirectory, withExif } from '../../../helpers/pictures/exif.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { emptyScan, insertAtEnd, times } from '../../../helpers/pictures/jpeg.js';
import { insertInPng, pngChunk } from '../../../helpers/pictures/png.js';
import { composeDirectories, composeTiff, tiffWriter } from '../../../helpers/pictures/tiff.js';
import { quarters } from '../fixtures.js';

const reasonOf = (bytes: Buffer): string | undefined => {
  try {
    inspectPicture(imageFile(bytes), { maxPixels: 1e9 });
    return undefined;
  } catch (error) {
    return asRefusal(error).reason;
  }
};

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
const scans = (count: number): Buffer => times(count, emptyScan);

test('a PNG may have any number of texts and profiles, and what looks like EXIF in chunks of other sorts', async () => {
  const png = await quarters(16, 16).png().toBuffer();
  const texts = ['zTXt', 'iTXt', 'tEXt', 'iCCP'].map((type) => times(20, pngChunk(type, 'Comment\0\x01\0\0\0abc')));
  const ring = exifRing(200);
  assert.equal(reasonOf(insertInPng(png, ...texts, pngChunk('prVt', ring))), undefined);
  assert.equal(reasonOf(insertInPng(png, pngChunk('eXIf', ring))), 'UNSUPPORTED_IMAGE_TYPE');
});

test('a JPEG in CMYK of the usual scans, the most that are usual, passes', async () => {
  const cmyk = quarters(64, 64).toColourspace('cmyk').jpeg({ progressive: true });
  assert.equal(reasonOf(await cmyk.toBuffer()), undefined);
});

test('a JPEG of more than 20 scans is refused', async () => {
  const progressive = await jpegOf({ progressive: true });
  const found = [...jpegSegments(new Cursor(progressive))].filter(({ marker }) => marker === startOfScan).length;
  assert.ok(found > 5 && found < 15, `${found} scans`);
  assert.equal(reasonOf(insertAtEnd(progressive, scans(20 - found))), undefined);
  // What phones append, such as a second picture.
  assert.equal(reasonOf(Buffer.concat([progressive, Buffer.alloc(2), scans(21)])), undefined);
  assert.equal(reasonOf(insertAtEnd(progressive, scans(21 - found))), 'UNSUPPORTED_IMAGE_TYPE');
  // A sequential one whose first scan is not of all components.
  const sequential = await jpegOf({ progressive: false });
  const at = sequential.indexOf(Buffer.from([0xff, 0xda]));
  const bomb = Buffer.concat([sequential.subarray(0, at), scans(21)]);
  assert.equal(reasonOf(bomb), 'UNSUPPORTED_IMAGE_TYPE');
});

test('a JPEG of more than 1,000 segments is refused, before its scans and between them', async () => {
  const progressive = await jpegOf({ progressive: true });
  const left = 1_000 - [...jpegSegments(new Cursor(progressive))].length;
  for (const marker of [0xe1, 0xe5, 0xfe]) {
    const segments = (count: number): Buffer => times(count, Buffer.from([0xff, marker, 0, 2]));
    const before = (count: number): Buffer =>
      Buffer.concat([progressive.subarray(0, 2), segments(count), progressive.subarray(2)]);
    assert.equal(reasonOf(before(left)), undefined);
    assert.equal(reasonOf(before(left + 1)), 'UNSUPPORTED_IMAGE_TYPE');
    assert.equal(reasonOf(insertAtEnd(progressive, segments(left))), undefined);
    assert.equal(reasonOf(insertAtEnd(progressive, segments(left + 1))), 'UNSUPPORTED_IMAGE_TYPE');
  }
  const largest = Buffer.concat([Buffer.from([0xff, 0xe2, 0xff, 0xff]), Buffer.alloc(65_533, 7)]);
  const file = Buffer.concat([progressive.subarray(0, 2), times(150, largest), progressive.subarray(2)]);
  assert.equal(reasonOf(file), undefined);
});

test('what stands before the first scan of a JPEG hides none', async () => {
  const progressive = await jpegOf({ progressive: true });
  const hidden = (before: number[]): Buffer =>
    Buffer.concat([progressive.subarray(0, 2), Buffer.from(before), insertAtEnd(progressive.subarray(2), scans(60))]);
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
  for (const progressive of [false, true]) {
    const jpeg = await jpegOf({ progressive });
    assert.equal(reasonOf(Buffer.concat([jpeg, scans(60)])), undefined);
  }
});

test('a TIFF whose strip or tile is a JPEG of more than 20 scans is refused', async () => {
  const size = { width: 64, height: 64 };
  const grey = await quarters(64, 64).greyscale().jpeg({ progressive: false }).toBuffer();
  const tiff = (jpeg: Buffer): Buffer => composeTiff(jpeg, { ...size, compression: 7 });
  // The last does not count: after it, the JPEG ends.
  assert.equal(reasonOf(tiff(insertAtEnd(grey, scans(20)))), undefined);
  assert.equal(reasonOf(tiff(insertAtEnd(grey, scans(21)))), 'UNSUPPORTED_IMAGE_TYPE');
  // Uncompressed, these are pixels.
  assert.equal(reasonOf(composeTiff(insertAtEnd(grey, scans(21)), size)), undefined);
  // Its colour components may look like the end of the JPEG, and its end may stand in a comment.
  const disguised = Buffer.from([0xff, 0xda, 0, 10, 2, 0xff, 0xd9, 1, 0, 1, 1, 0]);
  const comment = Buffer.from([0xff, 0xfe, 0, 4, 0xff, 0xd9]);
  for (const scan of [disguised, Buffer.concat([emptyScan, comment])])
    assert.equal(reasonOf(tiff(insertAtEnd(grey, times(22, scan)))), 'UNSUPPORTED_IMAGE_TYPE');
});

test('a TIFF of more than 4,096 bytes of JPEG tables is refused, since they are read for each tile', () => {
  const tiff = (tableBytes: number, compression = 7): Buffer =>
    composeTiff(Buffer.alloc(64), { width: 64, height: 64, compression, tableBytes });
  assert.equal(reasonOf(tiff(4_096)), undefined);
  assert.equal(reasonOf(tiff(4_097)), 'UNSUPPORTED_IMAGE_TYPE');
  // Of no other compression.
  assert.equal(reasonOf(tiff(4_097, 5)), undefined);
});

test('a TIFF of JPEGs passes, however many strips and tiles it has', async () => {
  for (const tile of [false, true]) {
    const tiff = quarters(64, 6_000).tiff({ compression: 'jpeg', tile, tileWidth: 64, tileHeight: 64 });
    const bytes = await tiff.toBuffer();
    assert.ok(bytes.toString('latin1').split('\xff\xda').length > 25);
    assert.equal(reasonOf(bytes), undefined);
  }
});

test('a TIFF of more than 20,000 strips or tiles is refused, or of as many rows where these are decoded alone', () => {
  const { field } = tiffWriter('II*');
  const reasonOfPage = (tags: Record<number, number>): string | undefined => {
    const fields = Object.entries(tags).map(([tag, value]) => field(Number(tag), 4, 1, value));
    return reasonOf(composeDirectories('II*', [fields]));
  };
  const [lzw, ccitt, packBits] = [{ 259: 5 }, { 259: 4 }, { 259: 32_773 }];
  const table: [name: string, height: number, tags: Record<number, number>][] = [
    ['strips', 60_000, { ...lzw, 278: 3 }],
    ['tiles', 3_200, { ...lzw, 256: 1_600, 322: 16, 323: 16 }],
    ['rows of a strip', 20_000, { ...ccitt, 278: 20_001 }],
    ['rows of strips', 20_000, { ...packBits, 278: 100 }],
    ['rows of tiles', 2_000, { ...ccitt, 256: 160, 322: 16, 323: 2_048 }],
  ];
  for (const [name, height, tags] of table) {
    assert.equal(reasonOfPage({ ...tags, 257: height }), undefined, name);
    assert.equal(reasonOfPage({ ...tags, 257: height + 1 }), 'UNSUPPORTED_IMAGE_TYPE', name);
  }
});

test('a TIFF compressed in an unusual way is refused and its compression named', () => {
  const of = (compression: number): Buffer => composeTiff(Buffer.alloc(64), { width: 8, height: 8, compression });
  for (const usual of [1, 2, 3, 4, 5, 7, 8, 32_773, 32_946])
    assert.equal(reasonOf(of(usual)), undefined, String(usual));
  for (const unusual of [0, 6, 34_892, 34_887, 50_000, 50_001])
    assert.throws(() => inspectPicture(imageFile(of(unusual)), { maxPixels: 1e9 }), {
      reason: 'UNSUPPORTED_IMAGE_TYPE',
      message: new RegExp(`^image is a TIFF with compression ${unusual}, want none, CCITT, LZW, JPEG, deflate or, in`),
    });
  const { field } = tiffWriter('II*');
  const packed = (rows: number, rowsPerStrip: number, ...others: Buffer[]) =>
    composeDirectories('II*', [
      [field(257, 4, 1, rows), field(259, 3, 1, 32_773), field(278, 4, 1, rowsPerStrip), ...others],
    ]);
  for (const read of [packed(1_000, 128), packed(128, 1_000), packed(1_000, 1_000, field(322, 3, 1, 16))])
    assert.equal(reasonOf(read), undefined);
  assert.equal(reasonOf(packed(1_000, 129)), 'UNSUPPORTED_IMAGE_TYPE');
});

const exifTypes = ['jpeg', 'png', 'webp', 'avif'] as const;

test('a picture whose EXIF points to itself again and again is refused', async () => {
  for (const type of exifTypes) {
    const picture = (exif: Buffer): Promise<Buffer> => withExif(quarters(64, 64), type, exif);
    // Each of n entries is visited once, and n times through the others.
    assert.equal(reasonOf(await picture(exifRing(140))), undefined, type);
    assert.equal(reasonOf(await picture(exifRing(141))), 'UNSUPPORTED_IMAGE_TYPE', type);
    const [second, third] = [directoryBytes(1), directoryBytes(1) + directoryBytes(200)];
    const chain = composeExif([
      [[0x8769, firstDirectory + second]],
      Array(200).fill([0x8825, firstDirectory + third]),
      Array(200).fill([0xa005, 0]),
    ]);
    assert.equal(reasonOf(await picture(chain)), 'UNSUPPORTED_IMAGE_TYPE', type);
  }
});

test('a picture whose EXIF has two directories that point to each other passes, as some cameras wrote it', async () => {
  const second = firstDirectory + directoryBytes(14);
  const plain = Array<[number, number]>(13).fill([0x10f, 0]);
  const ring = composeExif([
    [...plain, [0x8769, second]],
    [...plain.slice(5), [0xa005, firstDirectory]],
  ]);
  for (const type of exifTypes) assert.equal(reasonOf(await withExif(quarters(64, 64), type, ring)), undefined, type);
});

test('what cameras write as EXIF passes', async () => {
  const exif = {
    IFD0: { Make: 'x', Orientation: '6' },
    IFD2: { ExposureTime: '1/60' },
    IFD3: { GPSLatitude: '1/1 2/1 3/1' },
  };
  for (const type of exifTypes)
    assert.equal(reasonOf(await quarters().withExif(exif).toFormat(type).toBuffer()), undefined);
});

test('libvips reads no EXIF in a text of a PNG: if a new version does, it has to be counted', async () => {
  const png = await quarters(16, 16).png().toBuffer();
  const hex = composeExif([[[0x112, 6]]]).toString('hex');
  const text = `Raw profile type exif\0\nexif\n${hex.length / 2}\n${hex}\n`;
  const { comments, exif } = await sharp(insertInPng(png, pngChunk('tEXt', text))).metadata();
  assert.deepEqual([comments?.length, exif], [1, undefined]);
});

test('a JPEG of a kind that decoders do not read, or read wrongly, is refused as that', async () => {
  const whole = await quarters(16, 16).jpeg().toBuffer();
  const frame = whole.indexOf(Buffer.from([0xff, 0xc0]));
  const changed = (at: number, value: number): Buffer => {
    const other = Buffer.from(whole);
    other[at] = value;
    return other;
  };
  for (const marker of [0xc0, 0xc1, 0xc2, 0xc9, 0xca]) assert.equal(reasonOf(changed(frame + 1, marker)), undefined);
  const others = [0xc3, 0xc5, 0xc6, 0xc7, 0xcb, 0xcd, 0xce, 0xcf, 0xf7].map((marker) => changed(frame + 1, marker));
  for (const other of [changed(frame + 4, 12), ...others])
    assert.throws(() => inspectPicture(imageFile(other), { maxPixels: 1e9 }), {
      reason: 'UNSUPPORTED_IMAGE_TYPE',
      message: 'image is a JPEG of a kind that is not read, want a baseline or progressive one of 8 bits',
      details: { field: 'image', value: 'jpeg' },
    });
});
