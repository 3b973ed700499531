import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { decodePlainJpeg } from '../../../../core-server/image/decode/plain-jpeg.js';
import { quarters } from '../fixtures.js';

const maxPixels = 1_000_000;
const portrait = new URL('../../../../../samples/astronaut.jpg', import.meta.url).pathname;
const jpegOf = (subsampling: string) =>
  sharp(portrait).resize(321, 243).jpeg({ quality: 85, chromaSubsampling: subsampling }).toBuffer();

test('the pixels are those of sharp but for rounding', async () => {
  for (const subsampling of ['4:4:4', '4:2:0']) {
    const bytes = await jpegOf(subsampling);
    const picture = decodePlainJpeg(bytes, maxPixels);
    assert.ok(picture, subsampling);
    assert.deepEqual([picture.width, picture.height], [321, 243]);
    const wanted = await sharp(bytes).raw().toBuffer();
    assert.equal(picture.data.length, wanted.length);
    let [largest, sum] = [0, 0];
    for (const [i, value] of wanted.entries()) {
      const difference = Math.abs(value - (picture.data[i] ?? 999));
      largest = Math.max(largest, difference);
      sum += difference;
    }
    assert.ok(largest <= 8, `${subsampling}: ${largest}`);
    assert.ok(sum / wanted.length < 0.3, `${subsampling}: ${sum / wanted.length} on average`);
  }
});

test('a view into larger memory is decoded', async () => {
  const bytes = await jpegOf('4:2:0');
  const larger = new Uint8Array(bytes.length + 20).fill(0xff);
  larger.set(bytes, 10);
  const picture = decodePlainJpeg(larger.subarray(10, 10 + bytes.length), maxPixels);
  assert.deepEqual(picture, decodePlainJpeg(bytes, maxPixels));
  assert.ok(picture);
});

test('a picture of the most pixels is decoded, one of more is not', async () => {
  const bytes = await quarters(96, 64).jpeg().toBuffer();
  assert.equal(decodePlainJpeg(bytes, 96 * 64)?.width, 96);
  assert.equal(decodePlainJpeg(bytes, 96 * 64 - 1), undefined);
});

test('what is not plain is left to sharp', async () => {
  const plain = await quarters().jpeg().toBuffer();
  const changed = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(plain);
    bytes[at] = value;
    return bytes;
  };
  const frame = plain.indexOf(Buffer.from([0xff, 0xc0]));
  const scan = plain.indexOf(Buffer.from([0xff, 0xda]));
  const named = Buffer.from(plain);
  for (const [i, name] of [...Buffer.from('RGB')].entries()) named[frame + 10 + 3 * i] = named[scan + 5 + 2 * i] = name;
  const adobe = Buffer.from('ffee000e41646f626500640000000000', 'hex');
  const table: [string, Uint8Array][] = [
    ['progressive', await quarters().jpeg({ progressive: true }).toBuffer()],
    ['grey', await quarters().toColourspace('b-w').jpeg().toBuffer()],
    ['CMYK', await quarters().toColourspace('cmyk').jpeg().toBuffer()],
    ['on its side', await quarters().withMetadata({ orientation: 6 }).jpeg().toBuffer()],
    ['with a profile', await quarters().withIccProfile('p3').jpeg().toBuffer()],
    ["with Adobe's marker", Buffer.concat([plain.subarray(0, 2), adobe, plain.subarray(2)])],
    ['PNG', await quarters().png().toBuffer()],
    ['whose channels are named R, G and B', named],
    ['of 12 bits', changed(frame + 4, 12)],
    ['of an unusual sampling', changed(frame + 11, 0x41)],
    ['of subsampled luma', changed(frame + 14, 0x22)],
    ['of a scan for each channel', changed(scan + 4, 1)],
    ['without rows', changed(frame + 6, 0)],
    ['of an impossible table', changed(frame + 12, 9)],
    ['cut off', plain.subarray(0, -2)],
    ['cut off behind its frame', Buffer.concat([plain.subarray(0, frame + 12), plain.subarray(-2)])],
    ['followed by other bytes', Buffer.concat([plain, Buffer.from('more')])],
    ['one byte', plain.subarray(0, 1)],
  ];
  for (const [what, bytes] of table) {
    assert.equal(decodePlainJpeg(bytes, maxPixels), undefined, what);
  }
});

test('a JPEG in which decoders could find another frame is left to sharp', async () => {
  const plain = await quarters(96, 64).jpeg().toBuffer();
  const frame = plain.indexOf(Buffer.from([0xff, 0xc0]));
  const other = Buffer.from(plain.subarray(frame, frame + 19));
  other.writeUInt16BE(96, 5);
  other.writeUInt16BE(64, 7);
  // Who skips a segment of this marker finds the frame, and who skips only the marker the other one and a comment.
  const comment = Buffer.from([0xff, 0xfe, 0, 2 + other.length]);
  const length = Buffer.from([0, 2 + other.length + comment.length]);
  for (const marker of [0x01, 0x02, 0xbf, 0xd0, 0xd7]) {
    const segment = [Buffer.from([0xff, marker]), length, other, comment];
    const bytes = Buffer.concat([plain.subarray(0, frame), ...segment, plain.subarray(frame)]);
    assert.equal(decodePlainJpeg(bytes, maxPixels), undefined, marker.toString(16));
  }
  const filled = Buffer.concat([plain.subarray(0, frame), Buffer.from([0xff]), plain.subarray(frame)]);
  assert.equal(decodePlainJpeg(filled, maxPixels), undefined);
});
