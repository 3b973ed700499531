import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import {
  type Region,
  type Resampling,
  type RgbPicture,
  scaledSize,
  type Size,
  wholeOf,
} from '../../../../core-server/image/picture.js';
import { copyRegion } from '../../../../core-server/image/resize/copy-region.js';
import { resizePicture } from '../../../../core-server/image/resize/resize-picture.js';

const photo = await decodePhoto();

async function decodePhoto(): Promise<RgbPicture> {
  const { data, info } = await sharp('samples/astronaut.jpg').raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function drawn({ width, height }: Size, sampleAt: (x: number, y: number) => number): RgbPicture {
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < data.length; at++) {
    const pixel = Math.floor(at / 3);
    data[at] = sampleAt(pixel % width, Math.floor(pixel / width));
  }
  return { data, width, height };
}

function greatestDifference(a: RgbPicture, b: RgbPicture): number {
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  return a.data.reduce((most, value, i) => Math.max(most, Math.abs(value - (b.data[i] ?? NaN))), 0);
}

/** By the definition, in floating point: each sample is the sum of all others, weighted by their distance. */
function byDefinition(picture: RgbPicture, size: Size, resampling: Resampling): RgbPicture {
  const kernels = {
    cubic(x: number) {
      if (x < 1) return 1.5 * x ** 3 - 2.5 * x ** 2 + 1;
      return x < 2 ? -0.5 * x ** 3 + 2.5 * x ** 2 - 4 * x + 2 : 0;
    },
    linear: (x: number) => Math.max(0, 1 - x),
  };
  const along = (from: number, to: number, get: (at: number) => number, result: number): number => {
    const scale = from / to;
    const stretch = Math.max(1, scale);
    const center = (result + 0.5) * scale - 0.5;
    let [sum, weights] = [0, 0];
    for (let at = Math.floor(center - 2 * stretch); at <= center + 2 * stretch; at++) {
      const weight = kernels[resampling](Math.abs(at - center) / stretch);
      sum += weight * get(Math.min(Math.max(0, at), from - 1));
      weights += weight;
    }
    return Math.min(Math.max(0, Math.round(sum / weights)), 255);
  };
  const sampleOf = (data: Uint8Array, width: number, x: number, y: number, channel: number) =>
    data[(y * width + x) * 3 + channel] ?? NaN;
  const { width, height } = picture;
  const rows = new Uint8Array(width * size.height * 3).map((_, at) => {
    const [channel, x, y] = [at % 3, Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    return along(height, size.height, (row) => sampleOf(picture.data, width, x, row, channel), y);
  });
  const data = new Uint8Array(size.width * size.height * 3).map((_, at) => {
    const [channel, pixel] = [at % 3, Math.floor(at / 3)];
    const [x, y] = [pixel % size.width, Math.floor(pixel / size.width)];
    return along(width, size.width, (column) => sampleOf(rows, width, column, y, channel), x);
  });
  return { data, ...size };
}

// First, since the memory only grows.
test('the memory suffices for every size, and an even area keeps its colour', () => {
  for (const size of [
    { width: 1, height: 1 },
    { width: 40, height: 90 },
  ]) {
    for (let width = 1; width < 600; width++) {
      const even = drawn({ width, height: 20 }, () => 254);
      const { data } = resizePicture(even, size);
      assert.ok(
        data.every((value) => value === 254),
        `${width} to ${size.width}`,
      );
    }
  }
});

test('the same size is the same picture', () => {
  assert.equal(resizePicture(photo, photo), photo);
});

test('smaller pictures are those of sharp but for rounding', async () => {
  const { data, width, height } = photo;
  for (const kernel of ['cubic', 'linear'] as const) {
    for (const scale of [0.9, 0.45, 0.3]) {
      const size = scaledSize(photo, scale);
      const resized = await sharp(data, { raw: { width, height, channels: 3 } })
        .resize(size.width, size.height, { fit: 'fill', kernel })
        .raw()
        .toBuffer();
      const own = resizePicture(photo, size, wholeOf(photo), kernel);
      const difference = greatestDifference(own, { data: resized, ...size });
      assert.ok(difference <= 2, `${kernel} ${scale}: ${difference}`);
    }
  }
});

test('every size is what the definition says', () => {
  for (const sizes of [
    '61 x 300 to 33 x 70',
    '300 x 17 to 100 x 40',
    '20 x 30 to 75 x 31',
    // Fewer pixels than weights, and a single one.
    '3 x 2 to 1 x 1',
    '1 x 3 to 7 x 9',
    '500 x 400 to 2 x 3',
  ]) {
    const [from, to] = sizes.split(' to ').map((text): Size => {
      const [width = NaN, height = NaN] = text.split(' x ').map(Number);
      return { width, height };
    });
    assert.ok(from && to);
    const part = copyRegion(photo, { left: 150, top: 60, ...from });
    for (const resampling of ['cubic', 'linear'] as const) {
      const own = resizePicture(part, to, wholeOf(part), resampling);
      const difference = greatestDifference(own, byDefinition(part, to, resampling));
      assert.ok(difference <= 1, `${resampling} ${sizes}: ${difference}`);
    }
  }
});

test('what overshoots at an edge stays within 0..255', () => {
  const edge = drawn({ width: 40, height: 40 }, (x, y) => (x < 20 === y < 20 ? 255 : 0));
  const larger = resizePicture(edge, { width: 90, height: 90 });
  const at = (x: number, y: number) => larger.data[(y * 90 + x) * 3];
  for (const near of [30, 40, 42]) {
    assert.deepEqual([at(near, near), at(89 - near, near)], [255, 0], `at ${near}`);
  }
});

test('a part is resized as if it were alone', () => {
  const region: Region = { left: 101, top: 33, width: 240, height: 310 };
  for (const size of [
    { width: 100, height: 90 },
    { width: 333, height: 320 },
    { width: 240, height: 310 },
  ]) {
    const alone = copyRegion(photo, region);
    assert.equal(greatestDifference(resizePicture(photo, size, region), resizePicture(alone, size)), 0);
  }
});
