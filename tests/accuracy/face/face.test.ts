import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { intersectionOverUnion } from '../../../core-server/features/face/geometry.js';
import { type Measured, picturesWithFaces, recallAt } from './detection-metrics.js';
import { type FacePicture, readFaceEvaluation } from './face-data.js';
import { openFaceModel, openServedDetector } from './served-detector.js';

// Guards against a broken pipeline or a bad file of weights, not for the last point: that is what
// `make eval-face` is for. The floors are far below what is measured (see the model card).
const minRecall = 0.75;
const minOverlap = 0.7;
const maxFalse = 0.2;
/** A third of each set: on all, `make eval-face` measures. */
const isMeasured = (_: FacePicture, index: number) => index % 3 === 0;

const notHere = 'its files are not here: `make models`';
const pictures = readFaceEvaluation();
const skip = pictures ? false : 'no ../shared/face/eval; set SHARED_DIR to measure accuracy';

for (const name of ['face-detector', 'yunet-n']) {
  test(`${name}: portraits are found where they are, and pictures without a face stay empty`, { skip }, async (t) => {
    const detector = await openServedDetector(name);
    if (detector === undefined) return void t.skip(notHere);
    t.after(() => detector.release());
    const { defaultScore } = detector.served;
    const measure = async (set: string): Promise<Measured[]> => {
      const results: Measured[] = [];
      const rows = (pictures ?? []).filter((picture) => picture.set === set).filter(isMeasured);
      for (const { path, faces } of rows) {
        const output = await detector.detect(await readFile(path), defaultScore);
        const found = output.faces.map((f) => ({ box: f.boundingBox, score: f.detectionScore }));
        results.push({ faces, found });
      }
      return results;
    };

    for (const set of ['wider_portrait', 'portrait70']) {
      const measured = await measure(set);
      const recall = recallAt(measured, defaultScore);
      assert.ok(recall >= minRecall, `${set}: recall ${recall}`);
      const overlap = meanOverlap(measured);
      assert.ok(overlap >= minOverlap, `${set}: mean overlap of the found ${overlap}`);
      t.diagnostic(`${set}: recall ${recall.toFixed(3)}, mean overlap ${overlap.toFixed(3)}`);
    }
    const faceless = await measure('noface');
    const wrong = picturesWithFaces(faceless, defaultScore) / faceless.length;
    assert.ok(wrong <= maxFalse, `${wrong} of the pictures without a face have one`);
    t.diagnostic(`noface: ${wrong.toFixed(3)} with a false face`);
  });

  test(`${name}: the graphs keep the contract at every size`, async (t) => {
    const opened = await openFaceModel(name);
    if (opened === undefined) return void t.skip(notHere);
    const { model } = opened;
    t.after(() => model.release());
    for (const [width, height, minScore] of [
      [32, 32, 0],
      [96, 64, 0],
      [224, 320, 0.3],
      [640, 448, 1.01],
    ] as const) {
      const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => (i * 7919) % 256);
      const outputs = await model.run({
        image: { type: 'uint8', data, dims: [1, height, width, 3] },
        min_score: { type: 'float32', data: Float32Array.of(minScore), dims: [1] },
      });
      const { boxes, scores, landmarks } = outputs;
      const count = scores?.data.length ?? -1;
      const label = `${width} x ${height} from ${minScore}`;
      assert.deepEqual(scores?.dims, [count], label);
      assert.deepEqual(boxes?.dims, [count, 4], label);
      assert.deepEqual(landmarks?.dims, [count, 5, 2], label);
      const cells = [8, 16, 32].reduce((n, s) => n + (width / s) * (height / s), 0);
      if (minScore === 0) assert.equal(count, cells, label);
      if (minScore > 1) assert.equal(count, 0, label);
      for (const score of scores.data) assert.ok(score >= minScore && score <= 1, label);
      for (const { data: values } of [boxes, landmarks]) {
        assert.ok((values as Float32Array).every(Number.isFinite), label);
      }
    }
  });
}

/** Mean overlap of the true faces with what was found on them. */
function meanOverlap(pictures: readonly Measured[]): number {
  const overlaps = pictures
    .flatMap(({ faces, found }) =>
      faces.map((face) => Math.max(0, ...found.map((f) => intersectionOverUnion(f.box, face.box)))),
    )
    .filter((overlap) => overlap >= 0.5);
  return overlaps.reduce((sum, overlap) => sum + overlap, 0) / overlaps.length;
}
