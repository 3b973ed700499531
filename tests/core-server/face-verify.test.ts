import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Candidate } from '../../core-server/face/geometry.js';
import { parseVerifierRule } from '../../core-server/face/face-model.js';
import { createFaceVerifier, type Look } from '../../core-server/face/verify.js';
import type { TensorData } from '../../core-server/inference/sessions.js';

/** A verifier that halves every score and remembers the grey in the middle of every crop. */
function halvingVerifier() {
  const runs: number[][] = [];
  return {
    runs,
    run({ crops, scores }: Readonly<Record<string, TensorData>>) {
      const count = scores?.data.length ?? -1;
      assert.deepEqual([crops?.dims, scores?.dims], [[count, 64, 64, 3], [count]]);
      const middle = (i: number): number => Number(crops?.data[((i * 64 + 32) * 64 + 32) * 3]);
      runs.push(Array.from({ length: count }, (_, i) => middle(i)));
      const verified = (scores?.data as Float32Array).map((score) => score / 2);
      return Promise.resolve({
        verified: { type: 'float32' as const, data: verified, dims: [count] },
      });
    },
  };
}

/** Grey that says which look it is and how far to the right. */
const look = (width: number, height: number, grey: number, region: Look['region']): Look => ({
  pixels: {
    data: Uint8Array.from({ length: width * height * 3 }, (_, i) => {
      const x = Math.floor(i / 3) % width;
      return grey + Math.floor((x * 10) / width);
    }),
    width,
    height,
  },
  region,
});
/** A picture of 200 x 100 pixels at half its size, and its right half at twice its size. */
const overview = look(100, 50, 100, { left: 0, top: 0, width: 200, height: 100 });
const detail = look(200, 200, 200, { left: 100, top: 0, width: 100, height: 100 });

const face = (xmin: number, ymin: number, xmax: number, ymax: number): Candidate => ({
  box: { xmin, ymin, xmax, ymax },
  score: 0.8,
  landmarks: [{ x: xmin, y: ymin }],
});

const rule = { sureScore: 0.95, leastSide: 16 };

test('a face is verified in the sharpest look that shows all of it', async () => {
  const model = halvingVerifier();
  const left = face(20, 20, 60, 80);
  const right = face(120, 10, 140, 40);
  const across = face(80, 10, 130, 50);
  const verify = createFaceVerifier(model, rule);
  const verified = await verify([right, left, across], [overview, detail]);
  // Their middles lie at 40 and 105 of the picture's 200 pixels, and at 30 of the detail's 100.
  assert.deepEqual(model.runs, [[102, 105], [203]]);
  assert.deepEqual(
    verified,
    [right, left, across].map((one) => ({ ...one, score: 0.4 })),
  );
});

test('sure faces and tiny ones keep their score', async () => {
  const model = halvingVerifier();
  const verify = createFaceVerifier(model, rule);
  const sure = { ...face(0, 0, 80, 80), score: 0.95 };
  // 15 pixels of the overview, 32 of the detail.
  const faces = [sure, face(0, 0, 30, 30), face(110, 10, 126, 26)];
  const verified = await verify(faces, [overview, detail]);
  assert.deepEqual(
    verified.map(({ score }) => score),
    [0.95, 0.8, 0.4],
  );
});

test('nothing found costs no run, and a crowd is verified in parts', async () => {
  const idle = halvingVerifier();
  assert.deepEqual(await createFaceVerifier(idle, rule)([], [overview]), []);
  assert.deepEqual(idle.runs, []);

  const model = halvingVerifier();
  const crowd = Array.from({ length: 150 }, (_, i) => face(i, 0, i + 40, 40));
  const verified = await createFaceVerifier(model, rule)(crowd, [overview]);
  assert.deepEqual(
    model.runs.map((crops) => crops.length),
    [64, 64, 22],
  );
  assert.deepEqual(
    verified,
    crowd.map((one) => ({ ...one, score: 0.4 })),
  );
});

test('settings that are no rule are refused with every mistake', () => {
  assert.deepEqual(parseVerifierRule({ ...rule }), rule);
  assert.throws(
    () => parseVerifierRule({ sureScore: 2, extra: 1 }),
    /expected number to be <=1[^]*leastSide[^]*extra|extra[^]*leastSide/,
  );
});
