import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fractionOf } from '../../../../core-server/features/meter/decide/fraction.js';
import { decimalOf } from '../../../../core-server/features/meter/decimal.js';
import { align, bestPath, likelihood } from '../../../../core-server/features/meter/read/digit-ctc.js';
import { stepFrom } from '../../../../core-server/features/meter/read/hypothesis.js';
import type { ReaderRules } from '../../../../core-server/features/meter/reader-rules.js';
import { near, type Peak, rules, strip } from './reference.js';

suite('CTC of digits', () => {
  const read = (length: number, ...peaks: Peak[]) => strip(peaks, length);

  test('the likelihood sums over all alignments', () => {
    // Two steps: "1" is 1-1, blank-1 and 1-blank.
    const shown = read(2, [0, 2, 0.6], [1, 12, 0.5]);
    near(likelihood(shown, [1]), 0.6 * 0.5 + 0.4 * 0.5 + 0.6 * 0.5, 1e-5);
    near(likelihood(shown, []), 0.4 * 0.5, 1e-5);
    near(likelihood(shown, [1, 1]), 0, 1e-5);
  });
  test('the likelihoods of all readings sum to one', () => {
    const shown = read(3, [0, 1, 0.5], [1, 2, 0.3], [1, 1, 0.3], [2, 2, 0.8]);
    const digits = [0, 1];
    const all: number[][] = [[], ...digits.map((a) => [a])];
    for (const a of digits) {
      for (const b of digits) all.push([a, b], ...digits.map((c) => [a, b, c]));
    }
    near(
      all.reduce((sum, each) => sum + likelihood(shown, each), 0),
      1,
      1e-4,
    );
  });
  test('a repeated digit needs a blank between', () => {
    near(likelihood(read(3, [0, 3, 1], [2, 3, 1]), [2, 2]), 1, 1e-4);
    near(likelihood(read(3, [0, 3, 1], [1, 3, 1], [2, 3, 1]), [2, 2]), 0, 1e-4);
  });
  test('the best path merges black and red of a digit', () => {
    const path = bestPath(read(6, [1, 4, 0.4], [1, 14, 0.4], [2, 4, 0.9], [4, 5, 0.6]));
    assert.deepEqual(path, [
      { digit: 3, step: 2 },
      { digit: 4, step: 4 },
    ]);
  });
  test('the alignment gives each digit its steps', () => {
    const shown = read(7, [1, 4, 0.9], [2, 4, 0.9], [4, 4, 0.9], [5, 6, 0.9]);
    assert.deepEqual(align(shown, [3, 3, 5]), [
      { first: 1, last: 2 },
      { first: 4, last: 4 },
      { first: 5, last: 5 },
    ]);
  });
});

suite('stepFrom', () => {
  const cases: [string, 1 | -1, string | undefined][] = [
    ['00417', 1, '00418'],
    ['00399', 1, '00400'],
    ['00400', -1, '00399'],
    ['99', 1, undefined],
    ['01', -1, '00'],
    ['00', -1, undefined],
    ['123456789012345678999', 1, '123456789012345679000'],
  ];
  for (const [digits, by, expected] of cases) {
    test(`${digits} by ${by}`, () => assert.equal(stepFrom([...digits].map(Number), by)?.join(''), expected));
  }
});

suite('fractionOf', () => {
  const even = { other: Array<number>(9).fill(0.2) };
  const rulesOf = (fractionPrior: ReaderRules['fractionPrior']): ReaderRules => ({
    ...rules,
    fractionPrior,
    fractionLikely: 0.6,
    usualTrust: 0.8,
    leastByColour: 0.05,
    mostDecimals: 3,
    fractionCalibration: { bias: 0, length: 1 },
  });
  const rowOf = (red: readonly number[]) => ({ text: '1'.repeat(red.length), red });
  const sureOf = (red: number[]) => fractionOf(rowOf(red), rulesOf(even)).sure;
  const cases: [string, number[], number][] = [
    ['three red at the end', [0.02, 0.01, 0.03, 0.02, 0.01, 0.97, 0.95, 0.9], 3],
    ['none', [0.02, 0.01, 0.03, 0.02, 0.01], 0],
    ['one doubtful wheel among the red', [0.02, 0.01, 0.03, 0.02, 0.01, 0.97, 0.4, 0.99], 3],
    ['never all wheels', [0.9, 0.9, 0.9, 0.9], 2],
  ];
  for (const [name, red, wheels] of cases) {
    test(name, () => assert.equal(fractionOf(rowOf(red), rulesOf(even)).wheels, wheels));
  }
  test('is what the caller knows, unless that would leave no wheel before it', () => {
    const known = (decimals: number) => fractionOf(rowOf([0.01, 0.01, 0.99, 0.99]), rulesOf(even), { decimals });
    assert.deepEqual(known(0), { wheels: 0, sure: 1, confidence: 1, agreement: 1 });
    assert.deepEqual(known(3), { wheels: 3, sure: 1, confidence: 1, agreement: 1 });
    assert.equal(known(4).wheels, 2);
    assert.equal(known(5).wheels, 2);
  });
  test('four are kept, but not relied on unless the caller knows them', () => {
    const row = rowOf([0.01, 0.01, 0.01, 0.01, 0.99, 0.99, 0.99, 0.99]);
    const { wheels, sure, confidence } = fractionOf(row, rulesOf(even));
    assert.deepEqual([wheels, sure, confidence], [4, 0.6, 0.6]);
    assert.equal(fractionOf(row, rulesOf(even), { decimals: 4 }).sure, 1);
  });
  test('goes by what is usual where the picture is grey', () => {
    const usual = { other: [1], 8: [0.1, 0.05, 0.05, 0.8], 5: [0.9, 0.1] };
    const grey = (wheels: number) => fractionOf(rowOf(Array<number>(wheels).fill(0.5)), rulesOf(usual)).wheels;
    assert.equal(grey(8), 3);
    assert.equal(grey(5), 0);
    assert.equal(grey(6), 0);
  });
  suite('by marks', () => {
    const usual = rulesOf({ other: [1], 6: [0.05, 0.95, 0.01] });
    const marked = (fraction: number[], untold: number) => ({
      ...rowOf([0.01, 0.01, 0.01, 0.01, 0.3, 0.99]),
      marks: { fraction, untold, wheels: Array<number>(6).fill(1), digits: [] },
    });
    test('two that are seen outvote the one that is usual and that the reader has learned', () => {
      const { wheels, sure } = fractionOf(marked([0.01, 0.02, 0.96, 0, 0], 0.01), usual);
      assert.equal(wheels, 2);
      assert.ok(sure > 0.96);
    });
    test('what the colours contradict is kept, but not relied on', () => {
      const { wheels, sure, confidence } = fractionOf(marked([0.01, 0.01, 0.01, 0.96, 0], 0.01), usual);
      assert.deepEqual([wheels, sure, confidence], [3, 0.6, 0.6]);
    });
    test('what is usual is never sure where nothing can be told', () => {
      const { wheels, sure } = fractionOf(marked([0.02, 0.01, 0.01, 0, 0], 0.96), usual);
      assert.equal(wheels, 1);
      assert.ok(sure > 0.6 && sure < 0.85, String(sure));
    });
    test('a value many times the previous one is a question of the point, unless it may have risen that much', () => {
      const row = { ...marked([0.01, 0.97, 0.01, 0, 0], 0.01), text: '012345' };
      const sureWith = (previous: string, maxIncrease?: string) =>
        fractionOf(row, usual, {
          previous: decimalOf(previous, 0),
          ...(maxIncrease !== undefined && { maxIncrease: decimalOf(maxIncrease, 0) }),
        });
      assert.ok(fractionOf(row, usual).sure > 0.95);
      for (const near of ['1200', '300', '0']) assert.ok(sureWith(near).sure > 0.95, near);
      assert.ok(sureWith('120', '2000').sure > 0.95);
      for (const before of ['240', '124', '120']) {
        const { wheels, sure } = sureWith(before);
        assert.ok(wheels !== 1 || sure <= 0.6, before);
      }
    });
    test('a previous value decides where nothing can be told', () => {
      const row = { ...marked([0.02, 0.01, 0.01, 0, 0], 0.96), text: '012345' };
      const known = { previous: decimalOf('12340', 0), maxIncrease: decimalOf('10', 0) };
      const { wheels, sure } = fractionOf(row, usual, known);
      assert.equal(wheels, 0);
      assert.ok(sure > 0.5, String(sure));
    });
    test('but is no more than likely where the photo rather shows another point', () => {
      const grey = Array<number>(6).fill(0.5);
      const row = { ...marked([0.02, 0.01, 0.01, 0, 0], 0.96), text: '012345', red: grey };
      const at = (whole: string) =>
        fractionOf(row, usual, { previous: decimalOf(whole, 0), maxIncrease: decimalOf('10', 0) });
      const { sure, confidence } = at('12340');
      assert.equal(sure, 0.6);
      assert.ok(confidence <= 0.6, String(confidence));
      assert.ok(at('1230').sure > 0.9);
    });
  });
  test('is as sure of no fraction as that is likely, where no other is likely enough', () => {
    const { wheels, confidence } = fractionOf(rowOf([0.5, 0.5, 0.5, 0.5]), rulesOf({ other: [0.2, 0.3, 0.5] }));
    assert.equal(wheels, 2);
    near(confidence, 0.2);
  });
  test('is unsure where the colour is', () => {
    assert.ok(sureOf([0.01, 0.01, 0.01, 0.99, 0.99]) > 0.95);
    assert.ok(sureOf([0.01, 0.01, 0.5, 0.99, 0.99]) < 0.6);
  });
});
