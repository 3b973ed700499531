import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { createStopwatch } from '../../../../core-server/common/stopwatch.js';
import { locate } from '../../../../core-server/features/meter/locate/locate.js';
import { refine } from '../../../../core-server/features/meter/locate/refine.js';
import { loadMeterModel } from '../../../../core-server/features/meter/meter-model.js';
import { createNetworkCounterReader } from '../../../../core-server/features/meter/network-counter-reader.js';
import { judgePlace } from '../../../../core-server/features/meter/read/hypothesis.js';
import { expand, readStrips } from '../../../../core-server/features/meter/read/read-strips.js';
import { decodeUpright } from '../../../../core-server/image/decode/decode.js';
import { readHeader } from '../../../../core-server/image/decode/open-picture.js';
import type { RgbPicture } from '../../../../core-server/image/picture.js';
import { loadManifest } from '../../../../core-server/inference/models/manifest.js';
import { openModel } from '../../../../core-server/inference/models/sessions.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { defaultLimits } from '../../image/fixtures.js';
import { near, nearQuad, quadOf, reference } from './reference.js';

// Each step of the served reader on rendered pictures, against what models/meter/reference.py made
// of the same pictures with the same networks. The pictures are no photos.

const here = new URL('../../../../../tests/core-server/features/meter/', import.meta.url);
const manifestUrl = new URL('../../../../../models/manifest.json', import.meta.url);

test('the reference was made with the networks and rules that are served', () => {
  assert.equal(Object.keys(reference.networks).length, 5);
  assert.ok(reference.pictures.length > 0);
  for (const [file, sha256] of Object.entries(reference.networks)) {
    const bytes = readFileSync(new URL(`meter/${file}`, manifestUrl));
    const found = createHash('sha256').update(bytes).digest('hex');
    assert.equal(found, sha256, `${file} has changed: run python reference.py in models/meter`);
  }
});

suite('the served steps are those of the Python reference', async () => {
  const { rules, ...networks } = await loadMeterModel(await loadManifest(manifestUrl), manifestUrl);
  const { time } = createStopwatch(new AbortController().signal);
  const pictures = new Map<string, RgbPicture>();
  let models: Parameters<typeof createNetworkCounterReader>[0];

  before(async () => {
    models = {
      locate: await openModel(networks.locate, manifestUrl),
      refine: await openModel(networks.refine, manifestUrl),
      read: await openModel(networks.read, manifestUrl),
      mark: await openModel(networks.mark, manifestUrl),
    };
    for (const { picture } of reference.pictures) {
      const bytes = readFileSync(new URL(`pictures/${picture}`, here));
      const file = await readHeader(imageFile(bytes), defaultLimits);
      pictures.set(picture, await decodeUpright(file, file.size));
    }
  });
  after(() => createNetworkCounterReader(models, rules).release());

  for (const expected of reference.pictures) {
    const picture = (): RgbPicture => {
      const found = pictures.get(expected.picture);
      assert.ok(found);
      return found;
    };

    test(`${expected.picture}: locate`, async () => {
      const [found] = await locate(models.locate.run, picture(), rules);
      const [best] = expected.located;
      assert.ok(best);
      // The two shrink the picture with different filters.
      nearQuad(found?.quad, best.quad, 6);
      near(found?.score, best.score, 0.1);
    });

    test(`${expected.picture}: refine`, async () => {
      const candidates = expected.located.map(({ quad, score }) => ({ quad: quadOf(quad), score }));
      const places = await refine(models.refine.run, picture(), candidates);
      assert.equal(places.length, 2 * expected.refined.length);
      for (const [i, { quad, doubt, counter }] of expected.refined.entries()) {
        nearQuad(places[2 * i]?.quad, quad, 0.5);
        near(places[2 * i]?.agrees, 1 - doubt, 0.02);
        near(places[2 * i]?.counter, counter, 0.02);
      }
    });

    test(`${expected.picture}: read`, async () => {
      for (const { quad, legible, readings } of expected.read) {
        const strips = await readStrips(
          models.read.run,
          picture(),
          rules.crops.map((crop) => expand(quadOf(quad), crop)),
        );
        for (const [i, share] of legible.entries()) near(strips[i]?.legible, share, 0.05);
        const place = { quad: quadOf(quad), located: 1, counter: 1, agrees: 1 };
        const found = judgePlace(place, strips, rules).readings;
        for (const [text, probability] of Object.entries(readings)) {
          // Unlikely ones may fall below what is worth scoring.
          if (probability > 0.02) near(found.get(text), probability, 0.05);
        }
      }
    });

    test(`${expected.picture}: the answer`, async () => {
      // From the same places on: how a picture is shrunk decides which of them are found.
      const scale = rules.locateSize / Math.max(picture().width, picture().height);
      const quads = expected.located.flatMap(({ quad }) => quad.flat().map((x) => x * scale));
      const scores = expected.located.map(({ score }) => score);
      const located = {
        run: () =>
          Promise.resolve({
            quads: { type: 'float32' as const, data: Float32Array.from(quads), dims: [] },
            scores: { type: 'float32' as const, data: Float32Array.from(scores), dims: [] },
          }),
        release: () => Promise.resolve(),
      };
      const reader = createNetworkCounterReader({ ...models, locate: located }, rules);
      const reading = (await reader.read(picture(), {}, time))?.counter ?? null;
      const { answer } = expected;
      if (answer === null || !answer.readable) {
        assert.equal(reading, null);
        return;
      }
      assert.equal(reading?.wheels.map(({ digit }) => digit).join(''), answer.digits);
      const isLikely = answer.fractionSure >= rules.fractionLikely;
      assert.equal(reading.fractionWheels, isLikely ? answer.redDigits : undefined);
      assert.equal(reading.isFractionSure, answer.fractionSure >= rules.fractionSure);
      near(reading.digitsConfidence, answer.digitsConfidence, 0.03);
      near(reading.fractionConfidence, answer.fractionConfidence, 0.03);
      nearQuad(reading.quad, answer.quad, 0.5);
      for (const [i, wheel] of answer.wheels.entries()) {
        near(reading.wheels[i]?.confidence, wheel.confidence, 0.05);
        nearQuad(reading.wheels[i]?.quad, wheel.quad, 1.5);
      }
    });
  }
});
