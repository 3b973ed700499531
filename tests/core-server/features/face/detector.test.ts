import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { createFaceDetector } from '../../../../core-server/features/face/detector.js';
import { createFaceRedactor } from '../../../../core-server/features/face/redactor.js';
import type { DetectFacesInput, DetectFacesOutput } from '../../../../core-server/features/face/task.js';
import { restrictLoaders } from '../../../../core-server/image/decode/restrict-loaders.js';
import type { RunModel, TensorData } from '../../../../core-server/inference/models/sessions.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { defaultLimits, plainCrop, quarters } from '../../image/fixtures.js';
import { cascadeRule } from './cascade-rule.js';

before(restrictLoaders);

const rule = { ...cascadeRule, uprightScore: 0.5, largeSide: 450, glanceScale: 0.5 };

type Found = [score: number, xmin: number, ymin: number, xmax: number, ymax: number];

/** A model that finds what it is told look by look (glance, first, second), in pixels of its input, and remembers what it was given. */
function scriptedDetector(...looks: Found[][]) {
  const seen: string[] = [];
  const minScores: number[] = [];
  const run: RunModel = (feeds) => {
    const [, height = 0, width = 0] = feeds['image']?.dims ?? [];
    assert.equal(feeds['image']?.data.length, width * height * 3);
    const minScore = Number(feeds['min_score']?.data[0]);
    seen.push(`${width}x${height}`);
    minScores.push(minScore);
    const found = (looks[seen.length - 1] ?? []).filter(([score]) => score >= minScore);
    const points = found.flatMap(([, xmin, ymin]) => Array.from({ length: 5 }, (_, i) => [xmin + i, ymin + i]).flat());
    const floats = (values: number[], ...dims: number[]): TensorData => ({
      type: 'float32',
      data: Float32Array.from(values),
      dims,
    });
    return Promise.resolve({
      boxes: floats(
        found.flatMap(([, ...corners]) => corners),
        found.length,
        4,
      ),
      scores: floats(
        found.map(([score]) => score),
        found.length,
      ),
      landmarks: floats(points, found.length, 5, 2),
    });
  };
  return { run, seen, minScores, detect: createFaceDetector({ run, rule }) };
}

const wish = async (picture: Sharp, changes: Partial<DetectFacesInput> = {}): Promise<DetectFacesInput> => ({
  image: imageFile(await picture.jpeg().toBuffer()),
  minScore: 0.5,
  maxFaces: 1000,
  crop: undefined,
  landmarks: false,
  limits: defaultLimits,
  ...changes,
});
const { signal } = new AbortController();
const boxesOf = ({ faces }: DetectFacesOutput) => faces.map(({ boundingBox }) => boundingBox);
const scoresOf = ({ faces }: DetectFacesOutput) => faces.map(({ detectionScore }) => detectionScore);

test('the network gets half of a bounded size, then that, padded to multiples of 32', async () => {
  const table: [number, number, string, string][] = [
    [640, 480, '320x256', '640x480'],
    [1280, 900, '320x256', '640x480'],
    [100, 70, '64x64', '128x96'],
    [2000, 3000, '224x320', '448x640'],
    [1, 1, '32x32', '32x32'],
  ];
  for (const [width, height, ...looks] of table) {
    const { seen, detect } = scriptedDetector();
    const output = await detect(await wish(quarters(width, height)), signal);
    assert.deepEqual([output.width, output.height], [width, height]);
    assert.deepEqual(seen.slice(0, 2), looks);
    assert.deepEqual(output.faces, []);
  }
});

test('where nothing sure is seen, the miniature turned by quarters is looked at, and the overview at the best', async () => {
  // 1280 x 900 has a miniature of 320 x 225; upright, the face fills its right three quarters.
  const side: Found = [0.8, 0, 80, 225, 320];
  const less: Found = [0.79, 0, 80, 225, 320];
  const closer: Found[] = [
    [0.9, 0, 164, 450, 640],
    [0.5, 0, 0, 120, 120],
  ];
  const { seen, detect } = scriptedDetector([], [], [side], [], [less], closer);
  const output = await detect(await wish(quarters(1280, 900), { landmarks: true }), signal);
  assert.deepEqual(seen.slice(0, 6), ['320x256', '640x480', '256x320', '320x256', '256x320', '480x640']);
  assert.deepEqual(boxesOf(output), [
    { xmin: 328, ymin: 0, xmax: 1280, ymax: 900 },
    { xmin: 0, ymin: 660, xmax: 240, ymax: 900 },
  ]);
  assert.deepEqual(output.faces[0]?.landmarks?.rightEye, { x: 328, y: 900 });
});

test('the glance is the first look where it is sure of a large face', async () => {
  const { seen, detect } = scriptedDetector([[0.5, 0, 0, 225, 225]]);
  const output = await detect(await wish(quarters(1280, 960)), signal);
  assert.deepEqual(seen, ['320x256']);
  assert.deepEqual(boxesOf(output), [{ xmin: 0, ymin: 0, xmax: 900, ymax: 900 }]);
});

test('boxes are pixels of the upright full-size picture, clamped to it', async () => {
  // 1280 x 900 is seen at half its size.
  const { detect } = scriptedDetector(
    [],
    [
      [0.9, 100, 50, 200, 150],
      [0.8, 600, 300, 700, 500],
    ],
  );
  const upright = await wish(quarters(1280, 900), { landmarks: true });
  const found = await detect(upright, signal);
  assert.deepEqual(boxesOf(found), [
    { xmin: 200, ymin: 100, xmax: 400, ymax: 300 },
    { xmin: 1200, ymin: 600, xmax: 1280, ymax: 900 },
  ]);
  const { rightEye, leftEye } = found.faces[0]?.landmarks ?? {};
  assert.deepEqual(
    [rightEye, leftEye],
    [
      { x: 200, y: 100 },
      { x: 202, y: 102 },
    ],
  );

  const turned = await quarters(900, 1280).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const again = scriptedDetector([], [[0.9, 100, 50, 200, 150]]);
  const output = await again.detect({ ...upright, image: imageFile(turned) }, signal);
  assert.deepEqual([output.width, output.height], [1280, 900]);
  assert.deepEqual(again.seen.slice(0, 2), ['320x256', '640x480']);
  assert.deepEqual(output.faces[0]?.boundingBox, { xmin: 200, ymin: 100, xmax: 400, ymax: 300 });
});

test('a face is looked at upright where its points count, and only there', async () => {
  // At the picture twice, and at the face as its points say and by each quarter, until it is surely seen.
  const wishes: [Partial<DetectFacesInput>, number][] = [
    [{ crop: plainCrop }, 2],
    [{ landmarks: true }, 6],
    [{ attributes: true }, 6],
    [{ minQuality: 0 }, 6],
    [{ crop: { ...plainCrop, isAligned: true } }, 6],
  ];
  for (const [wished, looks] of wishes) {
    const { seen, detect } = scriptedDetector([], [[0.95, 100, 50, 200, 150]]);
    await detect(await wish(quarters(1280, 900), wished), signal);
    assert.equal(seen.length, looks, JSON.stringify(wished));
  }
});

test('the threshold is inclusive, on scores of six decimals', async () => {
  // 0.8 as a 32-bit float is a little more, 0.7 a little less.
  const looks: Found[] = [
    [0.8, 0, 0, 100, 100],
    [0.7, 200, 0, 290, 100],
    [0.6999, 400, 0, 480, 100],
  ];
  const scores = async (minScore: number): Promise<number[]> =>
    scoresOf(await scriptedDetector([], looks).detect(await wish(quarters(640, 480), { minScore }), signal));
  assert.deepEqual(await scores(0.7), [0.8, 0.7]);
  assert.deepEqual(await scores(0.700001), [0.8]);
  assert.deepEqual(await scores(0.8), [0.8]);
  assert.deepEqual(await scores(0), [0.8, 0.7, 0.6999]);
  assert.deepEqual(await scores(1), []);
});

test('a low score that was rounded up lets its face pass when it is sent back', async () => {
  const { detect } = scriptedDetector([], [[0.0499996, 0, 0, 100, 100]]);
  assert.deepEqual(scoresOf(await detect(await wish(quarters(640, 480), { minScore: 0.05 }), signal)), [0.05]);
});

test('hints below the threshold guide the second look but are not answered', async () => {
  const { seen, minScores, detect } = scriptedDetector(
    [],
    [
      [0.4, 100, 100, 120, 120],
      [0.9, 300, 300, 500, 500],
    ],
    [[0.9, 50, 50, 80, 80]],
  );
  const { faces } = await detect(await wish(quarters(1280, 960), { minScore: 0.95 }), signal);
  assert.equal(seen.length, 3);
  assert.equal(minScores[0]?.toFixed(6), '0.350000');
  assert.deepEqual(faces, []);
  const lowest = scriptedDetector();
  await lowest.detect(await wish(quarters(1280, 960), { minScore: 0 }), signal);
  assert.equal(lowest.minScores[0]?.toFixed(6), '0.020000');
});

test('a second look is a part of the picture, from small and large files alike', async () => {
  // Seen at a scale of 1/2 and 1/4; the face has 20 px there, in the middle of the margin.
  for (const [width, height, factor] of [
    [1280, 960, 2],
    [2560, 1920, 4],
  ] as const) {
    const { seen, detect } = scriptedDetector([], [[0.6, 100, 100, 120, 120]], [[0.9, 48, 48, 78, 78]]);
    const { faces } = await detect(await wish(quarters(width, height)), signal);
    // The region: 84 px of the overview; enlarged 1.5 times.
    const side = Math.ceil((84 * factor * 1.5) / 32) * 32;
    assert.deepEqual(seen.slice(2), [`${side}x${side}`]);
    assert.equal(faces.length, 1);
    assert.deepEqual(faces[0]?.boundingBox, {
      xmin: 68 * factor + 32,
      ymin: 68 * factor + 32,
      xmax: 68 * factor + 52,
      ymax: 68 * factor + 52,
    });
    assert.equal(faces[0]?.detectionScore, 0.9);
  }
});

test('of a face in two tiles of a look, the one that an edge does not cut counts', async () => {
  // The second look is 2391 pixels wide. Its first tile ends at 672 and answers for 608, the second begins at 544.
  const { seen, detect } = scriptedDetector(
    [],
    [
      [0.6, 20, 100, 40, 120],
      [0.6, 600, 100, 620, 120],
    ],
    [[0.95, 640, 100, 672, 220]],
    [[0.9, 96, 100, 216, 220]],
  );
  const output = await detect(await wish(quarters(2560, 960)), signal);
  assert.deepEqual(seen.slice(2, 4), ['672x320', '736x320']);
  assert.deepEqual(scoresOf(output), [0.9]);
});

test('a look at the mirror image joins the second one, in pixels of the picture', async () => {
  // The region of the second look is 168 x 168 at (136, 136), seen at 252 x 252, its mirror image at 126 x 126.
  const inBoth: Found = [0.9, 50, 48, 80, 78];
  const mirror: Found[] = [
    [0.5, 86, 24, 101, 39],
    [0.8, 10, 90, 25, 105],
  ];
  const { run, seen } = scriptedDetector([], [[0.6, 100, 100, 120, 120]], [inBoth], mirror);
  const mirroring = { ...rule, mirrorScale: 0.5, weakScore: 0.1 };
  const detect = createFaceDetector({ run, rule: mirroring });
  const { faces } = await detect(await wish(quarters(1280, 960), { minScore: 0.2, landmarks: true }), signal);
  assert.deepEqual(seen.slice(2, 4), ['256x256', '128x128']);
  assert.deepEqual(
    faces.map((f) => [f.detectionScore, f.boundingBox]),
    [
      [0.74, { xmin: 169.33, ymin: 168, xmax: 189.33, ymax: 188 }],
      [0.32, { xmin: 270.67, ymin: 256, xmax: 290.67, ymax: 276 }],
    ],
  );
  // The scripted model's left eye in the mirror image is the right one.
  assert.deepEqual(faces[1]?.landmarks?.rightEye, { x: 289.33, y: 257.33 });
});

test('a doubtful face is looked at by itself and mirrored, turned as its eyes say, and has the mean of the log odds', async () => {
  const doubtful: Found = [0.6, 0, 200, 64, 264];
  // What the picture has of 160 pixels around it, on its side.
  const table: [string, Found[][], number | undefined][] = [
    ['there, too', [[[0.9, 48, 48, 112, 112]]], 0.786061],
    ['in the mirror image only', [[], [[0.9, 48, 48, 112, 112]]], 0.786061],
    ['only a hint of it', [[[0.36, 48, 48, 112, 112]]], undefined],
    ['somewhere else', [[[0.9, 0, 48, 64, 112]]], undefined],
    ['not there', [], undefined],
  ];
  for (const [name, looks, score] of table) {
    const { run, seen } = scriptedDetector([], [doubtful, [0.8, 40, 40, 140, 140]], ...looks);
    const detect = createFaceDetector({ run, rule: { ...rule, doubtScore: 0.3, certainScore: 0.8 } });
    const output = await detect(await wish(quarters(1280, 960)), signal);
    assert.deepEqual(seen.slice(2), ['160x128', '160x128'], name);
    assert.deepEqual(scoresOf(output), score === undefined ? [0.8] : [0.8, score], name);
  }
});

test('of the doubtful faces of a crowd, the 16 largest are looked at', async () => {
  const crowd = Array.from({ length: 20 }, (_, i): Found => {
    const [x, y] = [(i % 5) * 120, Math.floor(i / 5) * 110];
    return [0.6, x, y, x + 61 + i, y + 61 + i];
  });
  const { run, seen } = scriptedDetector([], [...crowd, [0.95, 520, 400, 620, 460]]);
  const detect = createFaceDetector({ run, rule: { ...rule, doubtScore: 0.3, certainScore: 0.9 } });
  const output = await detect(await wish(quarters(640, 480)), signal);
  assert.equal(seen.length, 2 + 2 * 16);
  // Those not seen there fall below the threshold.
  const widths = boxesOf(output).map(({ xmin, xmax }) => xmax - xmin);
  assert.deepEqual(widths, [100, 64, 63, 62, 61]);
});

test('at most so many faces, the largest, and the others are counted', async () => {
  const looks: Found[] = [40, 60, 50].map((side, i) => [0.9, i * 100, 0, i * 100 + side, side]);
  const { detect } = scriptedDetector([], looks);
  const output = await detect(await wish(quarters(640, 480), { maxFaces: 2 }), signal);
  const heights = boxesOf(output).map(({ ymax }) => ymax);
  assert.deepEqual([heights, output.omittedFaces], [[60, 50], 1]);
});

test('faces below the quality asked for are left out and not counted, and attributes are told only where wished', async () => {
  // Checkers on the left, one colour on the right.
  const [width, height] = [640, 480];
  const data = Buffer.alloc(width * height, 128);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width / 2; x++) data[y * width + x] = ((x >> 2) + (y >> 2)) % 2 ? 255 : 0;
  const picture = sharp(data, { raw: { width, height, channels: 1 } });
  const { detect } = scriptedDetector(
    [],
    [
      [0.95, 100, 50, 200, 150],
      [0.95, 400, 50, 520, 150],
    ],
  );
  const { faces, omittedFaces } = await detect(await wish(picture, { minQuality: 0.02 }), signal);
  assert.deepEqual(
    faces.map(({ boundingBox, attributes }) => [boundingBox.xmin, attributes]),
    [[100, undefined]],
  );
  assert.equal(omittedFaces, 0);
});

test('crops are the boxes at full size, only when they are wanted', async () => {
  for (const [width, height, factor] of [
    [640, 480, 1],
    [3200, 2400, 5],
  ] as const) {
    const looks: Found[] = [[0.9, 400, 50, 500, 150]];
    const with_ = await scriptedDetector([], looks).detect(
      await wish(quarters(width, height), { crop: plainCrop }),
      signal,
    );
    const [face] = with_.faces;
    const { data, info } = await sharp(face?.cropJpeg).raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [100 * factor, 100 * factor]);
    assert.ok((data[1] ?? 0) > 150 && (data[0] ?? 255) < 80, 'green, the top right quarter');
    const without = await scriptedDetector([], looks).detect(await wish(quarters(width, height)), signal);
    assert.equal(without.faces[0]?.cropJpeg.length, 0);
    assert.equal(without.faces[0]?.landmarks, undefined);
  }
});

test('limits are checked before the network sees anything', async () => {
  const { seen, detect } = scriptedDetector();
  const input = await wish(quarters(640, 480), { limits: { ...defaultLimits, maxPixels: 640 * 480 - 1 } });
  await assert.rejects(detect(input, signal), { name: 'Refusal', reason: 'IMAGE_TOO_MANY_PIXELS' });
  assert.deepEqual(seen, []);
});

test('nothing more is done once the caller is gone', async () => {
  const { seen, detect } = scriptedDetector();
  const caller = new AbortController();
  const running = detect(await wish(quarters(1280, 960)), caller.signal);
  caller.abort();
  await assert.rejects(running, { name: 'AbortError' });
  assert.deepEqual(seen, []);
});

test('attributes and crops of a large photo take no more decoding than its crops alone', async () => {
  const countTasks = async (changes: Partial<DetectFacesInput>): Promise<number> => {
    const { detect } = scriptedDetector([], [[0.9, 10, 10, 110, 110]]);
    const input = await wish(quarters(2100, 1000), { crop: plainCrop, ...changes });
    let tasks = 0;
    const count = (): void => void (tasks += 1);
    sharp.queue.on('change', count);
    const { faces } = await detect(input, signal);
    sharp.queue.off('change', count);
    assert.equal(faces.length, 1);
    return tasks;
  };
  const usual = await countTasks({});
  assert.equal(await countTasks({ attributes: true }), usual);
  assert.equal(await countTasks({ minQuality: 0 }), usual);
});

test('a picture with hidden faces whose file would be too large for a response is refused', async () => {
  const side = 4700;
  const noise = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
  const image = imageFile(await noise.tiff({ compression: 'none' }).toBuffer());
  const redact = createFaceRedactor({ run: scriptedDetector().run, rule });
  const wishes = { image, minScore: 0.5, limits: defaultLimits, style: 'box', margin: 0, format: 'png' } as const;
  await assert.rejects(redact(wishes, signal), {
    reason: 'INVALID_FIELD',
    message: /^format is png, which takes \d{8} bytes here, want at most 66060288 bytes, as by jpeg$/,
  });
});

test('the time of every step is told', async (t) => {
  // Each look at the clock takes a millisecond, so that a step takes one each time that it is done.
  let clock = 0;
  t.mock.method(performance, 'now', () => (clock += 1));
  const { run } = scriptedDetector([], [[0.9, 0, 0, 100, 100]]);
  const detect = createFaceDetector({ run, rule });
  const { timings } = await detect(await wish(quarters(640, 480), { crop: plainCrop }), signal);
  assert.deepEqual(timings, { open: 1, decode: 2, infer: 2, suppress: 2, crop: 2 });
});

test('each face is measured where it is and in a step, and each hidden, a part of another too, that lies within none', async (t) => {
  let clock = 0;
  t.mock.method(performance, 'now', () => (clock += 1));
  const faces: Found[] = [
    [0.99, 200, 180, 300, 280],
    [0.98, 100, 200, 160, 260],
    [0.97, 340, 200, 400, 260],
    [0.96, 220, 80, 280, 140],
    [0.95, 220, 320, 280, 380],
    [0.94, 210, 190, 240, 220],
  ];
  const { detect } = scriptedDetector([], faces);
  const picture = quarters(640, 480);
  const measured = await detect(await wish(picture, { attributes: true }), signal);
  assert.deepEqual([measured.faces.length, measured.timings['measure']], [5, 5]);
  const brightness = new Set(measured.faces.map(({ attributes }) => attributes?.brightness));
  assert.ok(brightness.size >= 4, [...brightness].join());

  const { run } = scriptedDetector([], faces);
  const redact = createFaceRedactor({ run, rule });
  const wishes = { image: imageFile(await picture.jpeg().toBuffer()), minScore: 0.5, limits: defaultLimits };
  const hidden = await redact({ ...wishes, style: 'box', margin: 0.1, format: undefined }, signal);
  assert.deepEqual([hidden.faceCount, hidden.timings['redact']], [6, 5]);
});
