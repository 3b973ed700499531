import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assembleReading } from '../../../../core-server/features/meter/assemble.js';
import { decideReading } from '../../../../core-server/features/meter/decide/decide-reading.js';
import { judgePlace } from '../../../../core-server/features/meter/read/hypothesis.js';
import { expand } from '../../../../core-server/features/meter/read/read-strips.js';
import { wheelsOf } from '../../../../core-server/features/meter/read/wheels.js';
import { wholeOf } from '../../../../core-server/image/picture.js';
import { near, nearQuad, quadOf, reference, rules, strip } from './reference.js';

const picture = { width: 1000, height: 1000 };
const checkBelow = rules.okConfidence;
const facts = { picture, copy: picture, shown: wholeOf(picture), light: 'good', checkBelow, known: {} } as const;

suite('the same as the Python reference', () => {
  test('has cases', () => assert.ok(reference.cases.length > 0));
  for (const { name, hypotheses, marks, answer } of reference.cases) {
    test(name, () => {
      const judged = hypotheses.map((h) => {
        const strips = h.strips.map(({ peaks, legible }) => ({ ...strip(peaks), legible }));
        const place = judgePlace({ ...h, quad: quadOf(h.quad) }, strips, rules);
        return { ...place, marks };
      });
      for (const [i, expected] of hypotheses.entries()) {
        near(judged[i]?.weight, expected.weight, 1e-3);
        const readings = Object.entries(expected.readings);
        assert.equal(judged[i]?.readings.size, readings.length);
        for (const [text, probability] of readings) {
          near(judged[i]?.readings.get(text), probability);
        }
      }

      const reading = decideReading(judged, rules);
      if (answer === null || !answer.readable) {
        assert.equal(reading, null);
        return;
      }
      assert.ok(reading);
      assert.equal(reading.wheels.map(({ digit }) => digit).join(''), answer.digits);
      near(reading.digitsConfidence, answer.digitsConfidence, 1e-3);
      near(reading.fractionConfidence, answer.fractionConfidence, 1e-3);
      const isLikely = answer.fractionSure >= rules.fractionLikely;
      assert.equal(reading.fractionWheels, isLikely ? answer.redDigits : undefined);
      assert.equal(reading.isFractionSure, answer.fractionSure >= rules.fractionSure);
      const counter = { ...reading, rivalled: false, wheelBefore: false };
      assert.equal(assembleReading(counter, facts).status, answer.status);
      const betweens = reading.wheels.map(({ betweenPositions }) => betweenPositions);
      const expected = [...answer.digits].map((digit, at) => answer.alternatives.some((other) => other[at] !== digit));
      assert.deepEqual(betweens, expected);
      assert.deepEqual(
        reading.alternatives.map(({ text }) => text),
        answer.alternatives,
      );
      for (const [i, wheel] of answer.wheels.entries()) {
        near(reading.wheels[i]?.confidence, wheel.confidence);
        nearQuad(reading.wheels[i]?.quad, wheel.quad);
      }
      const best = judged.reduce((a, b) => (b.weight > a.weight ? b : a));
      for (const [i, { red }] of wheelsOf(best, answer.digits).entries()) {
        near(red, answer.wheels[i]?.red ?? NaN);
      }
    });
  }

  test('crops', () => {
    const { quad, crops } = reference.expanded;
    for (const { crop, quad: expected } of crops) nearQuad(expand(quadOf(quad), crop), expected);
  });
});
