import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCascade } from '../../../../core-server/features/face/cascade.js';
import type { Candidate } from '../../../../core-server/features/face/geometry.js';
import type { QuarterTurns } from '../../../../core-server/image/picture.js';
import { cascadeRule as rule } from './cascade-rule.js';

/** A square face with its centre and side in pixels of the picture. */
const face = (x: number, y: number, side: number, score = 0.9): Candidate => ({
  box: { xmin: x - side / 2, ymin: y - side / 2, xmax: x + side / 2, ymax: y + side / 2 },
  score,
  landmarks: [],
});
const fullHd = { width: 1920, height: 1080 };
const ofFullHd = createCascade(rule, fullHd);
/** Where a second look went. */
const region = { left: 300, top: 300, width: 600, height: 400 };

test('the overview is bounded and never enlarges', () => {
  assert.equal(createCascade(rule, { width: 1280, height: 960 }).overviewScale, 0.5);
  assert.equal(createCascade(rule, { width: 960, height: 1280 }).overviewScale, 0.5);
  assert.equal(createCascade(rule, { width: 640, height: 480 }).overviewScale, 1);
  assert.equal(createCascade(rule, { width: 64, height: 64 }).overviewScale, 1);
  // Three times as long as high, and a panorama of twelve times, of the same number of pixels.
  assert.equal(createCascade(rule, { width: 1920, height: 640 }).overviewScale, 1 / 3);
  assert.equal(createCascade(rule, { width: 640, height: 7680 }).overviewScale, 1 / 6);
});

test('a glance suffices that is sure of a large face and sees no smaller one', () => {
  // 1280 is seen at half: 192 px are 96 there.
  const picture = { width: 1280, height: 960 };
  const table: [string, Candidate[], boolean][] = [
    ['nothing seen', [], false],
    ['a large face', [face(600, 500, 192, 0.5)], true],
    ['a hint of one', [face(600, 500, 192, 0.49)], false],
    ['a face that is not large', [face(600, 500, 190)], false],
    ['a large face beside another', [face(600, 500, 200, 0.4), face(900, 500, 300)], true],
    ['a large face beside a hint of a smaller one', [face(600, 500, 100, 0.35), face(900, 500, 300)], false],
    ['a large face beside less than a hint', [face(600, 500, 100, 0.34), face(900, 500, 300)], true],
  ];
  for (const [name, glance, want] of table) {
    assert.equal(createCascade(rule, picture).suffices(glance), want, name);
  }
});

test('a second look goes to the small faces and their surroundings, as large as the budget allows', () => {
  // 1920 is seen at a third: 88 px are 29 there, the margin of 32 there is 96 here.
  const second = ofFullHd.planSecondLook([face(500, 500, 88), face(900, 600, 60)], 1 / 3);
  assert.deepEqual(second?.region, { left: 360, top: 360, width: 666, height: 366 });
  assert.equal(second?.zoom, 1.5); // 750,000 pixels would allow 1.75
  const wide = ofFullHd.planSecondLook([face(100, 100, 60), face(1800, 1000, 60)], 1 / 3);
  assert.deepEqual(wide?.region, { left: 0, top: 0, width: 1920, height: 1080 });
  assert.equal(wide?.zoom, Math.sqrt(750_000 / (1920 * 1080)));
});

test('a small face that both looks saw has the mean box, the second counting more', () => {
  const second = face(510, 500, 80, 0.6);
  const boxOf = (...first: Candidate[]) => ofFullHd.mergeLooks(first, [second], region).map(({ box }) => box);
  // Weights are 0.3 x 0.4 and 0.6: the first look counts a sixth.
  const weighted = { xmin: 469, ymin: 460, xmax: 549, ymax: 540 };
  const near = (boxes: Candidate['box'][]) => boxes.map((box) => ({ ...box, xmin: Number(box.xmin.toFixed(9)) }));
  assert.deepEqual(near(boxOf(face(504, 500, 80, 0.4))), [weighted]);
  assert.deepEqual(near(boxOf(face(504, 500, 80, 0.4), face(520, 520, 80, 0.9))), [weighted], 'the closer one');
  assert.deepEqual(boxOf(face(504, 500, 80, 0.34)), [second.box], 'less than a hint');
  assert.deepEqual(boxOf(face(550, 500, 80, 0.4)), [second.box], 'another face');
});

test('a face that its close-up is certain of has a score', () => {
  assert.equal(ofFullHd.withCloseUp(face(500, 500, 80, 0.5), [face(500, 500, 80, 1)]).score, 0.999001);
});

test('the second look gives large faces that the region does not cut, and all small ones', () => {
  const { width, height } = fullHd;
  const table: [string, typeof region, Candidate, boolean][] = [
    ['inside', region, face(600, 500, 150), true],
    ['at the left edge', region, face(375, 500, 150), false],
    ['at the right edge', region, face(825, 500, 150), false],
    ['at the upper edge', region, face(600, 375, 150), false],
    ['at the lower edge', region, face(600, 625, 150), false],
    ['a small one at an edge', region, face(330, 500, 60), true],
    // At the edge of the picture nothing is cut off that the first look saw.
    ['left in the picture', { ...region, left: 0 }, face(75, 500, 150), true],
    ['right in the picture', { ...region, left: width - 600 }, face(1845, 500, 150), true],
    ['on top of the picture', { ...region, top: 0 }, face(600, 75, 150), true],
    ['at its bottom', { ...region, top: height - 400 }, face(600, 1005, 150), true],
  ];
  for (const [name, at, second, stays] of table) {
    assert.deepEqual(ofFullHd.mergeLooks([], [second], at), stays ? [second] : [], name);
  }
});

test('a sure face stays that the second look does not see at all, unless it is tiny', () => {
  // 1920 is seen at a third: 72 px are 24 there.
  const blurred = face(500, 500, 72, 0.5);
  const table: [string, Candidate, Candidate[], Candidate[]][] = [
    ['nothing there', blurred, [], [blurred]],
    ['less than a hint', blurred, [face(500, 500, 72, 0.34)], [blurred]],
    ['a hint', blurred, [face(500, 500, 72, 0.35)], [face(500, 500, 72, 0.35)]],
    ['not sure', face(500, 500, 72, 0.49), [], []],
    ['tiny', face(500, 500, 71), [], []],
  ];
  for (const [name, first, second, want] of table) {
    assert.deepEqual(ofFullHd.mergeLooks([first], second, region), want, name);
  }
});

test('a glance at the turned picture gives only large faces that are sure enough there', () => {
  const table: [string, Candidate, boolean][] = [
    ['large and sure', face(900, 500, 400, 0.8), true],
    ['not sure enough', face(900, 500, 400, 0.79), false],
    ['not large', face(900, 500, 200, 0.9), false],
  ];
  for (const [name, turned, stays] of table) {
    assert.deepEqual(ofFullHd.addTurned([], [turned], rule.turnedScore), stays ? [turned] : [], name);
  }
});

test('the quarter by which a picture lies is the one whose glance is surer of a face than all upright looks', () => {
  const large = (score: number): Candidate => face(900, 500, 400, score);
  const table: [string, number, [QuarterTurns, Candidate][], number | undefined][] = [
    ['nothing anywhere', 0, [], undefined],
    ['one face', 0, [[2, large(0.5)]], 2],
    ['not sure', 0, [[2, large(0.49)]], undefined],
    ['not large', 0, [[2, face(900, 500, 200, 0.9)]], undefined],
    ['as sure upright', 0.8, [[1, large(0.8)]], undefined],
    [
      'the surest of two',
      0.6,
      [
        [1, large(0.7)],
        [3, large(0.8)],
      ],
      3,
    ],
  ];
  for (const [name, upright, turned, want] of table) {
    const glances = new Map(turned.map(([turns, seen]) => [turns, [seen]]));
    assert.equal(ofFullHd.quarterOf([large(upright)], glances), want, name);
  }
});
