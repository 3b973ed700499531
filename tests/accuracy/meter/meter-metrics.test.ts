import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationError, judge, reliability, wilson } from './meter-metrics.js';

const truth = { digits: '00123456', redDigits: 3, accept: ['00123457'] };

test('an answer is compared wheel by wheel and by its amount', () => {
  const cases: [meterNumber: string, value: string, right: string][] = [
    ['00123456', '123.456', 'integer full near'],
    ['00123457', '123.457', 'integer full near'],
    ['00123458', '123.458', 'integer near'],
    ['00123459', '123.459', 'integer'],
    ['00124456', '124.456', ''],
    ['123456', '123.456', 'integer'],
    ['00123456', '1234.56', ''],
    ['00123456', '123456', ''],
    ['00123', '123', 'integer'],
  ];
  for (const [meterNumber, value, right] of cases) {
    const judged = judge({ meterNumber, value, confidence: 0.9, status: 'OK' }, truth);
    const found = (['integer', 'full', 'near'] as const).filter((what) => judged[what]);
    assert.equal(found.join(' '), right, `${meterNumber} ${value}`);
    assert.ok(judged.answered && judged.ok);
  }
  assert.equal(judge(null, truth).answered, false);
});

test('the interval of a share is Wilson’s', () => {
  const { low, high } = wilson(230, 231);
  assert.deepEqual([low.toFixed(5), high.toFixed(5)], ['0.97589', '0.99924']);
  assert.deepEqual(wilson(0, 0), { low: 0, high: 1 });
});

test('the calibration error is the mean distance of confidence and truth in tenths', () => {
  const answer = (confidence: number, integer: boolean) => ({
    ...judge(null, truth),
    answered: true,
    confidence,
    integer,
  });
  const bins = reliability([answer(1, true), answer(0.9, false), answer(0.55, true), judge(null, truth)]);
  // Two answers, of which half are right at 0.95, and a right one at 0.55.
  assert.ok(Math.abs(calibrationError(bins) - (2 * 0.45 + 0.45) / 3) < 1e-12);
});
