import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servedFaceModel } from '../../../../core-server/features/face/face-model.js';
import { loadManifest } from '../../../../core-server/inference/models/manifest.js';

const shipped = await loadManifest(new URL('../../../../../models/manifest.json', import.meta.url));

test('the manifest says which face model serves', () => {
  const { entry, rule, defaultScore } = servedFaceModel(shipped);
  assert.equal(entry.name, 'face-detector');
  assert.equal(rule.overviewSide, 640);
  assert.equal(defaultScore, 0.45);
});

test('the settings of a face model are checked, every mistake at once', () => {
  const wrong = { defaultScore: 1.5, weakScore: 2, margin: NaN, surprise: 1 };
  const models = shipped.models.map((model) => ({ ...model, settings: { ...model.settings, ...wrong } }));
  assert.throws(
    () => servedFaceModel({ ...shipped, models }),
    /the face model face-detector[^]*surprise[^]*defaultScore[^]*weakScore[^]*margin/,
  );
});
