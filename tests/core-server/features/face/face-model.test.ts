import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseFaceModel } from '../../../../core-server/features/face/face-model.js';
import { loadManifest } from '../../../../core-server/inference/models/manifest.js';

const shipped = await loadManifest(new URL('../../../../../models/manifest.json', import.meta.url));

test('the manifest says which face model serves, and a name chooses another', () => {
  const { entry, rule, defaultScore } = chooseFaceModel(shipped);
  assert.equal(entry.name, 'face-detector');
  assert.equal(rule.overviewSide, 640);
  assert.equal(defaultScore, 0.45);
  assert.equal(chooseFaceModel(shipped, 'yunet-n').defaultScore, 0.65);
  for (const name of ['nobody', 'meter-read', 'yunet-n\r'])
    assert.throws(() => chooseFaceModel(shipped, name), {
      name: 'ConfigError',
      message: `CORE_FACE_MODEL is ${JSON.stringify(name)}: want face-detector or yunet-n`,
    });
});

test('the settings of a face model are checked, every mistake at once', () => {
  const wrong = { defaultScore: 1.5, weakScore: 2, margin: NaN, surprise: 1 };
  const models = shipped.models.map((model) => ({ ...model, settings: { ...model.settings, ...wrong } }));
  assert.throws(
    () => chooseFaceModel({ ...shipped, models }),
    /the face model face-detector[^]*surprise[^]*defaultScore[^]*weakScore[^]*margin/,
  );
});
