import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MeterAnswer, Reason } from '../../../sdk/typescript/rest.js';
import {
  type Analysis,
  isRefused,
  type RefusedAnswer,
  summarise,
  toAnnotations,
} from '../../../tools/demo/analysis.js';

const bbox = { xmin: 10, ymin: 10, xmax: 90, ymax: 40 };
const refused = (reason: Reason, message: string): RefusedAnswer => ({ code: 'X', reason, message, details: {} });
const noMeter = refused('NO_READING', 'no readable counter');
const dot = { x: 1, y: 2 };
const landmarks = { right_eye: dot, left_eye: dot, nose_tip: dot, right_mouth_corner: dot, left_mouth_corner: dot };
const meter: MeterAnswer = {
  message: 'success',
  meter_number: '0047',
  value: '004.7',
  unit: 'm3',
  confidence: 0.999,
  status: 'ok',
  warnings: [],
  bbox,
  digits: [{ digit: '0', confidence: 0.5, bbox }],
};

function faces(...scores: string[]): Analysis['faces'] {
  return { message: 'success', result: scores.map((score) => ({ bbox, detection_score: score, landmarks })) };
}

describe('summarise', () => {
  for (const [analysis, line] of [
    [{ faces: faces('0.9'), meter: noMeter }, '1 face (0.9); no meter'],
    [{ faces: faces('1', '0.9', '0.8', '0.7'), meter: noMeter }, '4 faces (1, 0.9, 0.8, …); no meter'],
    [{ faces: faces(), meter }, 'no face; meter 004.7 m3 (ok, 99.9%)'],
    [{ faces: faces(), meter: refused('QUEUE_FULL', 'try again') }, 'no face; meter refused: try again'],
    [
      { faces: refused('EMPTY_IMAGE', 'image is empty'), meter: refused('EMPTY_IMAGE', 'image is empty') },
      'refused: image is empty',
    ],
  ] as const) {
    it(`says "${line}"`, () => {
      assert.equal(summarise(analysis), line);
      assert.equal(isRefused(analysis), line.startsWith('refused'));
    });
  }
});

describe('toAnnotations', () => {
  it('draws a face with its score, cut off, and landmarks', () => {
    const drawn = toAnnotations({ faces: faces('0.98765', '0.29'), meter: noMeter });
    assert.deepEqual(
      drawn.map(({ text, dots }) => [text, dots]),
      [
        [['0.98'], Array(5).fill(dot)],
        [['0.29'], Array(5).fill(dot)],
      ],
    );
  });

  it('draws the counter with its value and status, and each digit', () => {
    const texts = toAnnotations({ faces: faces(), meter }).map(({ text }) => text);
    assert.deepEqual(texts, [['004.7 m3 ok 99.9%'], ['0', '50']]);
  });

  it('colours a reading to check otherwise', () => {
    const colours = (['ok', 'check'] as const).map(
      (status) => toAnnotations({ faces: faces(), meter: { ...meter, status } })[0]?.colour,
    );
    assert.notEqual(colours[0], colours[1]);
  });
});
