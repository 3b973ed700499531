import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { measuredSize, measureFace, poseOf } from '../../../../core-server/features/face/attributes.js';
import type { Point, Size } from '../../../../core-server/image/picture.js';
import type { FaceAttributes } from '../../../../generated/imageanalysis/v1/face_detection.js';

/** Of a head that looks straight ahead: millimetres to the person's left, down and to the camera. */
const head = [
  [-31, 0, 0],
  [31, 0, 0],
  [0, 35, 31],
  [-25, 71, 0],
  [25, 71, 0],
] as const;

/** Its five points seen from far away, after a nod, a turn and a lean in degrees, with the signs of ISO/IEC 39794-5. */
function seen({ yaw = 0, pitch = 0, roll = 0 }, scale = 2): Point[] {
  const [a, b, c] = [yaw, pitch, roll].map((angle) => (angle * Math.PI) / 180) as [number, number, number];
  return head.map(([x, y, z]) => {
    const [y1, z1] = [y * Math.cos(b) + z * Math.sin(b), z * Math.cos(b) - y * Math.sin(b)];
    const x1 = x * Math.cos(a) + z1 * Math.sin(a);
    return {
      x: 300 + scale * (x1 * Math.cos(c) + y1 * Math.sin(c)),
      y: 300 + scale * (y1 * Math.cos(c) - x1 * Math.sin(c)),
    };
  });
}

function near(actual: number, expected: number, tolerance: number, what: string): void {
  const apart = Math.abs(((actual - expected + 540) % 360) - 180);
  assert.ok(apart <= tolerance, `${what} is ${actual}, want ${expected} ± ${tolerance}`);
}

test('roll is the turn of the picture, all the way round', () => {
  for (let roll = -180; roll < 180; roll += 15) {
    near(poseOf(seen({ roll })).roll, roll, 0.5, 'roll');
  }
});

test('yaw and pitch have the sign and the order of the turns, and hardly mix', () => {
  for (const roll of [0, 40, 180]) {
    for (const angle of [-75, -50, -25, 0, 25, 50, 75]) {
      const turned = poseOf(seen({ yaw: angle, roll }));
      near(turned.yaw, angle, 3, 'yaw');
      near(turned.pitch, 0, 6, 'pitch of a turned head');
      const nodding = poseOf(seen({ pitch: angle * 0.6, roll }));
      near(nodding.pitch, angle * 0.6, 5, 'pitch');
      near(nodding.yaw, 0, 1, 'yaw of a nodding head');
    }
  }
  const [left, right] = [poseOf(seen({ yaw: 30, pitch: 20 })), poseOf(seen({ yaw: -30, pitch: 20 }))];
  near(left.yaw, -right.yaw, 0.1, 'mirrored yaw');
});

test('points in one place are a face that looks straight ahead', () => {
  const pose = poseOf(Array.from({ length: 5 }, () => ({ x: 7, y: 7 })));
  assert.deepEqual(Object.values(pose).map(Math.abs), [0, 0, 0, 0]);
});

const portrait = fileURLToPath(new URL('../../../../../samples/astronaut.jpg', import.meta.url));
/** The face of the portrait. */
const box = { xmin: 172, ymin: 62, xmax: 286, ymax: 212 };
const picture: Size = { width: 512, height: 512 };

async function measure(change: (face: Sharp) => Sharp = (face) => face): Promise<FaceAttributes> {
  const region = { left: 172, top: 62, width: 114, height: 150 };
  const face = await change(sharp(await sharp(portrait).extract(region).png().toBuffer()))
    .png()
    .toBuffer();
  const { width, height } = measuredSize;
  const data = await sharp(face).resize(width, height, { fit: 'fill' }).raw().toBuffer();
  return measureFace({ box, landmarks: seen({}, 1) }, picture, { data, width, height });
}

test('sharpness and quality fall with blur and with shrinking', async () => {
  const changes: ((by: number) => (face: Sharp) => Sharp)[] = [
    (by) => (face) => face.blur(0.5 + by),
    (by) => (face) => face.resize(Math.round(90 / 2 ** (by - 1))),
  ];
  for (const change of changes) {
    let last = await measure();
    assert.ok(last.sharpness > 0.5 && last.quality > 0.3, JSON.stringify(last));
    for (const by of [1, 2, 3]) {
      const next = await measure(change(by));
      assert.ok(next.sharpness < last.sharpness, `sharpness ${last.sharpness} to ${next.sharpness}`);
      assert.ok(next.quality < last.quality, `quality ${last.quality} to ${next.quality}`);
      last = next;
    }
    assert.ok(last.sharpness < 0.3, `sharpness ${last.sharpness} in the end`);
  }
});

test('brightness is the mean luminance and contrast its deviation', () => {
  const { width, height } = measuredSize;
  const face = { box, landmarks: seen({}) };
  const data = new Uint8Array(width * height * 3).map((_, i) => (Math.floor(i / 3) % 2 ? 255 : 0));
  const stripes = measureFace(face, picture, { data, width, height });
  assert.deepEqual([stripes.brightness, stripes.contrast, stripes.sharpness], [0.5, 0.5, 1]);
  const grey = measureFace(face, picture, { data: data.fill(51), width, height });
  assert.deepEqual([grey.brightness, grey.contrast, grey.quality], [0.2, 0, 0]);
  for (const [channel, brightness] of [0.299, 0.587, 0.114].entries()) {
    const colour = data.map((_, i) => (i % 3 === channel ? 255 : 0));
    assert.equal(measureFace(face, picture, { data: colour, width, height }).brightness, brightness);
  }
});

test('quality falls for a face that is small, turned away, cut by the edge, too bright, too dark or pale', () => {
  const { width, height } = measuredSize;
  const stripes = (light: number, dark: number) =>
    new Uint8Array(width * height * 3).map((_, i) => (Math.floor(i / 3) % 3 ? light : dark));
  const measureAt = (landmarks: Point[], at = box, data = stripes(200, 30)) =>
    measureFace({ box: at, landmarks }, picture, { data, width, height });
  const good = measureAt(seen({}));
  assert.equal(good.quality, 1);
  assert.equal(good.interEyeDistance, 124);
  assert.equal(measureAt(seen({ roll: 170 })).quality, 1);
  assert.ok(measureAt(seen({ yaw: 50 })).quality < 0.8);
  assert.ok(measureAt(seen({ pitch: 40 })).quality < 0.9);
  assert.ok(measureAt(seen({}, 0.2)).quality < 0.5);
  const cut = measureAt(seen({}), { ...box, xmin: 0 });
  assert.deepEqual([good.isCut, cut.isCut, cut.quality], [false, true, 0.5]);
  const qualityOf = (light: number, dark: number) => measureAt(seen({}), box, stripes(light, dark)).quality;
  assert.deepEqual([qualityOf(255, 175), qualityOf(0, 80), qualityOf(136, 120)], [0.523, 0.523, 0.246]);
});

test('a face is cut if its box is nearer to the edge than boxes are exact', () => {
  const pixels = { data: new Uint8Array(measuredSize.width * measuredSize.height * 3), ...measuredSize };
  const isCutAt = (xmin: number, ymin: number) =>
    measureFace({ box: { xmin, ymin, xmax: xmin + 100, ymax: ymin + 160 }, landmarks: seen({}) }, picture, pixels)
      .isCut;
  assert.deepEqual([isCutAt(4, 99), isCutAt(408, 99), isCutAt(99, 7), isCutAt(99, 345)], [true, true, true, true]);
  assert.deepEqual([isCutAt(6, 99), isCutAt(406, 99), isCutAt(99, 9), isCutAt(99, 343)], [false, false, false, false]);
});

test('angles are told in tenths of a degree', () => {
  const pixels = { data: new Uint8Array(measuredSize.width * measuredSize.height * 3), ...measuredSize };
  assert.equal(measureFace({ box, landmarks: seen({ roll: 33.34 }) }, picture, pixels).roll, 33.3);
});
