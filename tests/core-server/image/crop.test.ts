import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { cropBoxes, unionOf, wholePixels } from '../../../core-server/image/crop.js';
import { decodeUpright } from '../../../core-server/image/decode/decode.js';
import { imageFile } from '../../helpers/pictures/image-file.js';
import { colourDistance, coloursOf, quarterColours, quarters } from './fixtures.js';

const size = { width: 400, height: 200 };

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

test('the union of regions holds all of them and no more', () => {
  const one = { left: 10, top: 20, width: 5, height: 6 };
  assert.deepEqual(unionOf([one]), one);
  const two = { left: 2, top: 40, width: 1, height: 1 };
  assert.deepEqual(unionOf([one, two]), { left: 2, top: 20, width: 13, height: 21 });
});

test('crops are JPEGs of exactly their boxes, in order, without metadata', async () => {
  // Stored on its side: the boxes are those of the upright picture.
  const turned = await quarters(400, 200).rotate(270).png().toBuffer();
  const bytes = await sharp(turned)
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 95 })
    .toBuffer();
  const file = { ...imageFile(bytes), size, usesProfile: false };
  const whole = await decodeUpright(file, size);
  const boxes = [
    { xmin: 220, ymin: 10, xmax: 300, ymax: 90 },
    { xmin: 10, ymin: 110, xmax: 60, ymax: 190 },
    { xmin: 0, ymin: 0, xmax: 400, ymax: 200 },
    { xmin: 30, ymin: 30, xmax: 31, ymax: 31 },
  ];
  for (const known of [whole, undefined]) {
    const crops = await cropBoxes({ ...file, whole: known }, boxes);
    const decoded = await Promise.all(
      crops.map((crop) => sharp(crop).raw().toBuffer({ resolveWithObject: true })),
    );
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

test('a crop of a part decoded alone is the crop of the whole picture', async () => {
  const bytes = await quarters(400, 200).png().toBuffer();
  const file = { ...imageFile(bytes), size, usesProfile: false };
  const whole = await decodeUpright(file, size);
  const boxes = [{ xmin: 150.2, ymin: 60.7, xmax: 260.9, ymax: 140.1 }];
  const [fromWhole] = await cropBoxes({ ...file, whole }, boxes);
  const [fromPart] = await cropBoxes(file, boxes);
  assert.deepEqual(fromWhole, fromPart);
});

test('no boxes need no pixels', async () => {
  const nothing = { ...imageFile(new Uint8Array()), size, usesProfile: false };
  assert.deepEqual(await cropBoxes(nothing, []), []);
});

test('a thousand crops come in order', async () => {
  const bytes = await quarters(400, 200).png().toBuffer();
  const file = { ...imageFile(bytes), size, usesProfile: false };
  const boxes = Array.from({ length: 1000 }, (_, i) => ({
    xmin: 0,
    ymin: 0,
    xmax: 1 + (i % 400),
    ymax: 1 + (i % 7),
  }));
  const crops = await cropBoxes(file, boxes);
  for (const i of [0, 1, 399, 400, 777, 999]) {
    const { width, height } = await sharp(crops[i]).metadata();
    assert.deepEqual([width, height], [1 + (i % 400), 1 + (i % 7)]);
  }
});
