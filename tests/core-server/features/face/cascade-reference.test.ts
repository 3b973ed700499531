import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { closeUpOf, createCascade } from '../../../../core-server/features/face/cascade.js';
import type { CascadeRule } from '../../../../core-server/features/face/face-model.js';
import { type Candidate, turnBack } from '../../../../core-server/features/face/geometry.js';
import type { QuarterTurns } from '../../../../core-server/image/picture.js';

type Row = [score: number, xmin: number, ymin: number, xmax: number, ymax: number];

/** What models/face/reference.py wrote. */
const reference = JSON.parse(
  readFileSync(
    new URL('../../../../../tests/core-server/features/face/cascade-reference.json', import.meta.url),
    'utf8',
  ),
) as {
  rule: CascadeRule;
  turnedBack: {
    turns: QuarterTurns;
    size: [number, number];
    box: [number, number, number, number];
    point: [number, number];
    boxBack: number[];
    pointBack: number[];
  }[];
  cases: {
    name: string;
    size: [number, number];
    glance: Row[];
    overview: Row[];
    turned: Row[][];
    closer: Row[];
    second: Row[];
    mirror: Row[];
    result: {
      suffices: boolean;
      afterFirst: Row[];
      mayBeTurned: boolean;
      quarter?: QuarterTurns;
      afterTurned?: Row[];
      region?: [left: number, top: number, right: number, bottom: number];
      zoom?: number;
      withMirror?: Row[];
      merged?: Row[];
      doubtful: { face: Row; region: [number, number, number, number]; zoom: number; seen: number; score: number }[];
    };
  }[];
};
const { rule } = reference;

const toCandidates = (rows: readonly Row[]): Candidate[] =>
  rows.map(([score, xmin, ymin, xmax, ymax]) => ({ score, box: { xmin, ymin, xmax, ymax }, landmarks: [] }));
/** Best first: the two may list what they keep in another order. */
const toRows = (found: readonly Candidate[]): Row[] =>
  found.map(({ score, box }): Row => [score, box.xmin, box.ymin, box.xmax, box.ymax]).sort(inOrder);
const inOrder = (a: Row, b: Row): number => b[0] - a[0] || a[1] - b[1] || a[2] - b[2];

/** Mean boxes are no quarters of a pixel: the reference has hundredths of them. */
function assertNear(rows: readonly Row[], want: readonly Row[]): void {
  assert.equal(rows.length, want.length);
  for (const [i, row] of rows.entries()) {
    assert.ok(
      row.every((value, k) => Math.abs(value - (want[i]?.[k] ?? NaN)) < 0.01),
      `${row.join()} is not ${want[i]?.join()}`,
    );
  }
}

suite('the same cascade as in Python', () => {
  for (const { name, size: sides, result, ...looks } of reference.cases) {
    test(name, () => {
      const cascade = createCascade(rule, { width: sides[0], height: sides[1] });
      const glance = toCandidates(looks.glance);
      assert.equal(cascade.suffices(glance), result.suffices);
      let found = result.suffices ? glance : cascade.addGlance(toCandidates(looks.overview), glance);
      assert.deepEqual(toRows(found), result.afterFirst.sort(inOrder), 'after the first look');
      assert.equal(cascade.mayBeTurned(found), result.mayBeTurned);
      if (result.afterTurned) {
        const turned = looks.turned.map(toCandidates);
        const glances = new Map(turned.map((glance, i) => [(i + 1) as QuarterTurns, glance]));
        const quarter = cascade.quarterOf(found, glances);
        assert.equal(quarter, result.quarter);
        for (const look of turned) found = cascade.addTurned(found, look, rule.turnedScore);
        if (quarter !== undefined) found = cascade.addTurned(found, toCandidates(looks.closer), rule.sureScore);
        assert.deepEqual(toRows(found), result.afterTurned.sort(inOrder), 'after turning');
      }
      const firstScale = cascade.overviewScale * (result.suffices ? rule.glanceScale : 1);
      const second = cascade.planSecondLook(found, firstScale);
      assert.equal(second !== undefined, result.region !== undefined);
      if (second && result.region && result.withMirror && result.merged) {
        const { left, top, width, height } = second.region;
        assert.deepEqual([left, top, left + width, top + height], result.region);
        assert.ok(Math.abs(second.zoom - (result.zoom ?? NaN)) < 1e-6);
        const ofBoth = cascade.withMirror(toCandidates(looks.second), toCandidates(looks.mirror));
        assertNear(toRows(ofBoth), result.withMirror.sort(inOrder));
        found = cascade.mergeLooks(found, ofBoth, second.region);
        assertNear(toRows(found), result.merged.sort(inOrder));
      }
      const doubtful = found.filter((face) => cascade.isDoubtful(face));
      assert.equal(doubtful.length, result.doubtful.length);
      for (const { face: row, region, zoom, seen, score } of result.doubtful) {
        const [face] = toCandidates([row]);
        assert.ok(face);
        const look = closeUpOf(face, { width: sides[0], height: sides[1] });
        // The reference has rounded the box.
        const { left, top, width, height } = look.region;
        const edges = [left, top, left + width, top + height];
        assert.ok(edges.every((edge, i) => Math.abs(edge - (region[i] ?? NaN)) <= 1));
        assert.ok(Math.abs(look.zoom / zoom - 1) < 0.001);
        assert.ok(Math.abs(cascade.withCloseUp(face, [{ ...face, score: seen }]).score - score) < 0.002);
      }
    });
  }

  test('the cases take every way', () => {
    const results = reference.cases.map(({ result }) => result);
    for (const way of ['suffices', 'mayBeTurned'] as const) {
      assert.ok(results.some((result) => result[way]) && results.some((result) => !result[way]));
    }
    const hasTurned = ({ afterFirst, afterTurned }: (typeof results)[number]): boolean =>
      afterTurned !== undefined && afterTurned.length > afterFirst.length;
    assert.ok(results.some(hasTurned));
    assert.ok(results.some(({ quarter }) => quarter) && results.some((r) => r.mayBeTurned && !r.quarter));
    assert.ok(results.some(({ merged }) => merged) && results.some(({ merged }) => !merged));
    const isMean = ([, ...box]: Row): boolean => box.some((value) => (value * 4) % 1 !== 0);
    assert.ok(results.some(({ merged }) => merged?.some(isMean)));
    assert.ok(results.some(({ doubtful }) => doubtful.length > 0) && results.some((r) => r.doubtful.length === 0));
  });

  test('what was found in a turned picture is turned back', () => {
    for (const { turns, size, box, point, boxBack, pointBack } of reference.turnedBack) {
      const [xmin, ymin, xmax, ymax] = box;
      const candidate = { box: { xmin, ymin, xmax, ymax }, score: 1, landmarks: [{ x: point[0], y: point[1] }] };
      const back = turnBack(candidate, turns, { width: size[0], height: size[1] });
      assert.deepEqual(Object.values(back.box), boxBack);
      assert.deepEqual(back.landmarks, [{ x: pointBack[0], y: pointBack[1] }]);
    }
  });
});
