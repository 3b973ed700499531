import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { createStopwatch } from '../../../core-server/common/stopwatch.js';
import { alignedBox } from '../../../core-server/image/align.js';
import { cropFaces, type Cuttable, decodeAround, unionOf } from '../../../core-server/image/crop.js';
import { decodeUpright } from '../../../core-server/image/decode/decode.js';
import { type Box, isWithin, type Point, wholeOf, wholePixels } from '../../../core-server/image/picture.js';
import { imageFile } from '../../helpers/pictures/image-file.js';
import { colourDistance, coloursOf, plainCrop, quarterColours, quarters } from './fixtures.js';

const samplePortrait = fileURLToPath(new URL('../../../../samples/astronaut.jpg', import.meta.url));
const size = { width: 400, height: 200 };
const { time: step } = createStopwatch(new AbortController().signal);
const toFace = (box: Box): Cuttable => ({ box, landmarks: [] });

test('a box is rounded to whole pixels inside the picture, one at least', () => {
  const table: [name: string, box: number[], region: number[]][] = [
    ['whole numbers', [10, 20, 30, 50], [10, 20, 20, 30]],
    ['rounded', [10.4, 19.5, 30.4, 49.6], [10, 20, 20, 30]],
    ['the whole picture', [0, 0, 400, 200], [0, 0, 400, 200]],
    ['over the edges', [-5, -5, 405, 205], [0, 0, 400, 200]],
    ['thinner than a pixel', [10.1, 20.1, 10.3, 20.3], [10, 20, 1, 1]],
    ['thin at the far edge', [399.8, 199.8, 400, 200], [399, 199, 1, 1]],
  ];
  for (const [name, [xmin = 0, ymin = 0, xmax = 0, ymax = 0], want] of table) {
    const { left, top, width, height } = wholePixels({ xmin, ymin, xmax, ymax }, size);
    assert.deepEqual([left, top, width, height], want, name);
  }
});

test('a region is within another that it touches on every side, and not if it goes beyond one', () => {
  const outer = { left: 10, top: 20, width: 5, height: 6 };
  assert.ok(isWithin(outer, outer));
  for (const beyond of [{ left: 9, width: 6 }, { top: 19, height: 7 }, { width: 6 }, { height: 7 }])
    assert.equal(isWithin({ ...outer, ...beyond }, outer), false, JSON.stringify(beyond));
});

test('the union of regions holds all of them and no more', () => {
  const one = { left: 10, top: 20, width: 5, height: 6 };
  assert.deepEqual(unionOf([one]), one);
  const two = { left: 2, top: 40, width: 1, height: 1 };
  assert.deepEqual(unionOf([one, two]), { left: 2, top: 20, width: 13, height: 21 });
});

test('crops are JPEGs of exactly their boxes, in order, without metadata', async () => {
  // Stored on its side: the boxes are those of the upright picture.
  const turned = await quarters(400, 200).rotate(270).png().toBuffer();
  const bytes = await sharp(turned).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
  const file = { ...imageFile(bytes), size, usesProfile: false };
  const whole = { picture: await decodeUpright(file, size), around: wholeOf(size) };
  const boxes = [
    { xmin: 220, ymin: 10, xmax: 300, ymax: 90 },
    { xmin: 10, ymin: 110, xmax: 60, ymax: 190 },
    { xmin: 0, ymin: 0, xmax: 400, ymax: 200 },
    { xmin: 30, ymin: 30, xmax: 31, ymax: 31 },
  ];
  for (const known of [whole, undefined]) {
    const crops = await cropFaces({ ...file, decoded: known }, boxes.map(toFace), plainCrop, step);
    const decoded = await Promise.all(crops.map((crop) => sharp(crop).raw().toBuffer({ resolveWithObject: true })));
    assert.deepEqual(
      decoded.map(({ info }) => [info.width, info.height]),
      [
        [80, 80],
        [50, 80],
        [400, 200],
        [1, 1],
      ],
    );
    const colours = decoded.map(({ data, info }) => coloursOf({ data, ...info }));
    const [green, blue] = [quarterColours[1], quarterColours[2]];
    assert.ok(colourDistance(colours[0] ?? [], [green, green, green, green]) < 8);
    assert.ok(colourDistance(colours[1] ?? [], [blue, blue, blue, blue]) < 8);
    assert.ok(colourDistance(colours[2] ?? [], quarterColours) < 8);
    const metadata = await sharp(crops[0]).metadata();
    assert.equal(metadata.format, 'jpeg');
    assert.equal(metadata.exif, undefined);
    assert.equal(metadata.orientation, undefined);
  }
});

test('no boxes need no pixels', async () => {
  const nothing = { ...imageFile(new Uint8Array()), size, usesProfile: false };
  assert.deepEqual(await cropFaces(nothing, [], plainCrop, step), []);
});

test('no further face is cropped once the caller is gone', async () => {
  const picture = { ...size, data: new Uint8Array(size.width * size.height * 3) };
  const source = { ...imageFile(new Uint8Array()), size, usesProfile: false };
  const faces = Array<Cuttable>(3).fill(toFace({ xmin: 10, ymin: 10, xmax: 60, ymax: 60 }));
  const caller = new AbortController();
  // Each step looks at the clock twice: the caller goes during the first crop, after the part is there.
  let looks = 0;
  const { time } = createStopwatch(caller.signal, () => {
    looks += 1;
    if (looks === 3) caller.abort();
    return looks;
  });
  const cropping = cropFaces({ ...source, decoded: { picture, around: wholeOf(size) } }, faces, plainCrop, time);
  await assert.rejects(cropping, { name: 'AbortError' });
  assert.equal(looks, 4);
});

test('margin, size and format are as wished', async () => {
  const bytes = await quarters(400, 200).png().toBuffer();
  const file = { ...imageFile(bytes), size, usesProfile: false };
  const face = toFace({ xmin: 100, ymin: 50, xmax: 180, ymax: 90 });
  const table: [wish: object, width: number, height: number, format: string][] = [
    [{}, 80, 40, 'jpeg'],
    [{ margin: 0.25 }, 120, 60, 'jpeg'],
    // Half a picture to each side: the picture ends before.
    [{ margin: 1 }, 240, 120, 'jpeg'],
    [{ size: 20 }, 20, 10, 'jpeg'],
    [{ size: 160, format: 'png' }, 160, 80, 'png'],
    [{ size: 160, margin: 0.25, format: 'webp' }, 160, 80, 'webp'],
  ];
  for (const [wish, width, height, format] of table) {
    const [crop] = await cropFaces(file, [face], { ...plainCrop, ...wish }, step);
    const found = await sharp(crop).metadata();
    assert.deepEqual([found.width, found.height, found.format], [width, height, format]);
  }
});

test('an aligned crop is the same whichever way the picture is turned, and black beside it', async () => {
  const face = await sharp(samplePortrait).resize(300, 300, { fit: 'cover', position: 'top' }).png().toBuffer();
  const points = [
    { x: 120, y: 110 },
    { x: 180, y: 104 },
    { x: 152, y: 150 },
    { x: 126, y: 180 },
    { x: 182, y: 176 },
  ];
  const wish = { ...plainCrop, isAligned: true, format: 'png' } as const;
  const cut = async (bytes: Buffer, landmarks: readonly Point[], more = {}) => {
    const source = { ...imageFile(bytes), size: { width: 300, height: 300 }, usesProfile: false };
    const box = { xmin: 90, ymin: 70, xmax: 210, ymax: 215 };
    const [crop] = await cropFaces(source, [{ box, landmarks }], { ...wish, ...more }, step);
    return sharp(crop).raw().toBuffer({ resolveWithObject: true });
  };
  const upright = await cut(face, points);
  assert.deepEqual([upright.info.width, upright.info.height], [112, 112]);
  const turned = await cut(
    await sharp(face).rotate(90).png().toBuffer(),
    points.map(({ x, y }) => ({ x: 299 - y, y: x })),
  );
  const distance = upright.data.reduce((sum, v, i) => sum + Math.abs(v - (turned.data[i] ?? 0)), 0);
  assert.ok(distance / upright.data.length < 3, `${distance / upright.data.length} apart`);
  const wide = await cut(face, points, { margin: 1, size: 64 });
  assert.deepEqual([wide.info.width, wide.info.height], [64, 64]);
  assert.deepEqual([...wide.data.subarray(0, 3)], [0, 0, 0]);
});

test('an aligned crop of a part decoded alone is that of the whole picture, however far it reaches beyond the box', async () => {
  const bytes = await sharp(samplePortrait).resize(300, 300, { fit: 'cover', position: 'top' }).png().toBuffer();
  const file = { ...imageFile(bytes), size: { width: 300, height: 300 }, usesProfile: false };
  const whole = { picture: await decodeUpright(file, file.size), around: wholeOf(file.size) };
  // A profile: both eyes are at one place.
  const landmarks = [
    { x: 150, y: 130 },
    { x: 151, y: 130 },
    { x: 160, y: 150 },
    { x: 150, y: 170 },
    { x: 151, y: 170 },
  ];
  const face = { box: { xmin: 148, ymin: 128, xmax: 162, ymax: 172 }, landmarks };
  for (const [isAligned, margin] of [
    [false, 1],
    [true, 0],
    [true, 1],
  ] as const) {
    const wish = { margin, isAligned, format: 'png' } as const;
    const crops = await cropFaces({ ...file, decoded: whole }, [face], wish, step);
    assert.deepEqual(await cropFaces(file, [face], wish, step), crops);
  }
});

/** A face in the middle that leans so many degrees. */
function lean(degrees: number): Cuttable {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const offsets = [
    [-5, -6],
    [5, -6],
    [0, 0],
    [-4, 6],
    [4, 6],
  ] as const;
  const landmarks = offsets.map(([right, down]) => ({
    x: 200 + cos * right - sin * down,
    y: 100 + sin * right + cos * down,
  }));
  return { box: { xmin: 190, ymin: 86, xmax: 210, ymax: 113 }, landmarks };
}

test('for a crop as wide as its face, nothing is decoded again, though the face is found to lean another way', async () => {
  const bytes = await quarters(400, 200).png().toBuffer();
  const file = { ...imageFile(bytes), size, usesProfile: false };
  const wish = { margin: 0, isAligned: true, format: 'png' } as const;
  const around = { ...(await decodeAround(file, [lean(0)])), bytes: new Uint8Array() };
  for (const degrees of [-135, -90, -45, 30, 45, 180]) {
    const crops = await cropFaces(around, [lean(degrees)], wish, step);
    assert.deepEqual(crops, await cropFaces(file, [lean(degrees)], wish, step), String(degrees));
  }
});

test('all that a closer look sees is decoded, however the face leans', async () => {
  const bytes = await quarters(400, 200).png().toBuffer();
  const { decoded } = await decodeAround({ ...imageFile(bytes), size, usesProfile: false }, [lean(0)]);
  for (const degrees of [-135, -90, -45, 0, 30, 45, 180]) {
    const seen = alignedBox(lean(degrees).landmarks, { side: 160, margin: 3 / 14 });
    assert.ok(seen && isWithin(wholePixels(seen, size), decoded.around), String(degrees));
  }
});

test('crops that would not fit in a response are refused', async () => {
  const large = { width: 3000, height: 2000 };
  const file = { ...imageFile(new Uint8Array()), size: large, usesProfile: false };
  const faces = Array.from({ length: 20 }, () => toFace({ xmin: 0, ymin: 0, xmax: 1000, ymax: 1000 }));
  const table = [
    [{ format: 'png' }, 'crop_format'],
    [{ margin: 0.1 }, 'margin'],
    [{ size: 1000 }, 'crop_size'],
    [{ isAligned: true, size: 1000 }, 'crop_size'],
  ] as const;
  for (const [wish, field] of table) {
    await assert.rejects(cropFaces(file, faces, { ...plainCrop, ...wish }, step), {
      reason: 'INVALID_FIELD',
      message: /^\w+ makes crops of 2\d{7} pixels, want at most 16000000/,
      details: { field, limit: '16000000' },
    });
  }
  // Aligned, they have 112 pixels a side.
  const black = { ...large, data: new Uint8Array(large.width * large.height * 3) };
  const whole = { picture: black, around: wholeOf(large) };
  const turned = faces.map((face) => ({ ...face, landmarks: Array<Point>(5).fill({ x: 1, y: 1 }) }));
  const aligned = await cropFaces({ ...file, decoded: whole }, turned, { ...plainCrop, isAligned: true }, step);
  assert.equal(aligned.length, faces.length);
});

test('plain crops are refused once they have more bytes than a response may', async () => {
  const noise = { width: 4096, height: 4096, data: randomFillSync(new Uint8Array(4096 * 4096 * 3)) };
  const decoded = { picture: noise, around: wholeOf(noise) };
  const source = { ...imageFile(new Uint8Array()), size: noise, usesProfile: false, decoded };
  const face = toFace({ xmin: 0, ymin: 0, xmax: noise.width, ymax: noise.height });
  let made = 0;
  const counted: typeof step = async (name, work) => {
    const result = await work();
    if (result instanceof Uint8Array) made += result.length;
    return step(name, () => result);
  };
  const limit = 63 * 2 ** 20;
  await assert.rejects(cropFaces(source, Array<Cuttable>(100).fill(face), plainCrop, counted), {
    reason: 'INVALID_FIELD',
    message: `crop makes crops of more than ${limit} bytes, want fewer faces or a crop_size`,
    details: { field: 'crop', limit: String(limit) },
  });
  const [{ length } = new Uint8Array()] = await cropFaces(source, [face], plainCrop, step);
  assert.equal(made, length * Math.floor(limit / length));
});
