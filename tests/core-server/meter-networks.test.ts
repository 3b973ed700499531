import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { loadManifest } from '../../core-server/inference/manifest.js';
import type { TensorData } from '../../core-server/inference/sessions.js';
import { align, bestPath, likelihood, mergeColours } from '../../core-server/meter/digit-ctc.js';
import { fractionOf } from '../../core-server/meter/fraction.js';
import { fuse } from '../../core-server/meter/fuse.js';
import type { Quad } from '../../core-server/meter/geometry.js';
import { judgePlace, stepFrom } from '../../core-server/meter/hypothesis.js';
import { chooseCandidates } from '../../core-server/meter/locate.js';
import { createNetworkCounterReader } from '../../core-server/meter/network-counter-reader.js';
import { expand } from '../../core-server/meter/read-strips.js';
import { loadMeterModel } from '../../core-server/meter/meter-model.js';
import { type Crop, parseReaderRules } from '../../core-server/meter/reader-rules.js';
import { stripRegion } from '../../core-server/meter/strip-region.js';
import { wheelsOf } from '../../core-server/meter/wheels.js';

const manifestUrl = new URL('../../../models/manifest.json', import.meta.url);
const steps = 56;

type Corners = [number, number][];
type Peak = [step: number, label: number, probability: number];

/** Hypotheses with what models/meter/assemble.py and strips.py make of them. */
const reference = JSON.parse(
  readFileSync(new URL('../../../tests/core-server/meter-reference.json', import.meta.url), 'utf8'),
) as {
  rules: unknown;
  expanded: { quad: Corners; crops: { crop: Crop; quad: Corners }[] };
  cases: {
    name: string;
    hypotheses: {
      quad: Corners;
      counter: number;
      agrees: number;
      located: number;
      candidate: number;
      strips: { peaks: Peak[]; legible: number }[];
      weight: number;
      readings: Record<string, number>;
    }[];
    answer: {
      digits: string;
      redDigits: number;
      fractionSure: number;
      confidence: number;
      readable: boolean;
      alternatives: string[];
      wheels: { confidence: number; red: number; quad: Corners }[];
    } | null;
  }[];
};
const rules = parseReaderRules(reference.rules);

function quadOf(corners: Corners): Quad {
  const [a, b, c, d] = corners.map(([x, y]) => ({ x, y }));
  return [a, b, c, d] as Quad;
}

/** A strip that is blank but for some peaks. */
function strip(peaks: readonly Peak[], length = steps) {
  const data = new Float32Array(length * 21);
  for (let step = 0; step < length; step++) data[step * 21] = 1;
  for (const [step, label, probability] of peaks) {
    data[step * 21 + label] = (data[step * 21 + label] ?? 0) + probability;
    data[step * 21] = (data[step * 21] ?? 0) - probability;
  }
  return { data, steps: length };
}

const near = (actual: number | undefined, expected: number, tolerance = 2e-4): void =>
  assert.ok(
    actual !== undefined && Math.abs(actual - expected) <= tolerance,
    `${actual} is not ${expected}`,
  );
const nearQuad = (actual: Quad | undefined, expected: Corners): void => {
  for (const [i, [x, y]] of expected.entries()) {
    near(actual?.[i]?.x, x, 0.01);
    near(actual?.[i]?.y, y, 0.01);
  }
};

suite('the same as the Python reference', () => {
  test('has cases', () => assert.ok(reference.cases.length > 0));
  for (const { name, hypotheses, answer } of reference.cases) {
    test(name, () => {
      const judged = hypotheses.map((h) => {
        const strips = h.strips.map(({ peaks, legible }) => ({
          probabilities: strip(peaks),
          legible,
        }));
        return judgePlace({ ...h, quad: quadOf(h.quad) }, strips, rules);
      });
      for (const [i, expected] of hypotheses.entries()) {
        near(judged[i]?.weight, expected.weight, 1e-3);
        const readings = Object.entries(expected.readings);
        assert.equal(judged[i]?.readings.size, readings.length);
        for (const [text, probability] of readings) {
          near(judged[i]?.readings.get(text), probability);
        }
      }

      const reading = fuse(judged, rules);
      if (answer === null || !answer.readable) {
        assert.equal(reading, null);
        return;
      }
      assert.ok(reading);
      assert.equal(reading.wheels.map(({ digit }) => digit).join(''), answer.digits);
      near(reading.confidence, answer.confidence, 1e-3);
      const isLikely = answer.fractionSure >= rules.fractionLikely;
      assert.equal(reading.fractionWheels, isLikely ? answer.redDigits : undefined);
      assert.equal(reading.isFractionSure, answer.fractionSure >= rules.fractionSure);
      const betweens = reading.wheels.map(({ betweenPositions }) => betweenPositions);
      const expected = [...answer.digits].map((digit, at) =>
        answer.alternatives.some((other) => other[at] !== digit),
      );
      assert.deepEqual(betweens, expected);
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

suite('CTC of digits', () => {
  const read = (peaks: Peak[], length: number) => mergeColours(strip(peaks, length));

  test('the likelihood sums over all alignments', () => {
    // Two steps: "1" is 1-1, blank-1 and 1-blank.
    const merged = read(
      [
        [0, 2, 0.6],
        [1, 12, 0.5],
      ],
      2,
    );
    near(likelihood(merged, [1]), 0.6 * 0.5 + 0.4 * 0.5 + 0.6 * 0.5, 1e-5);
    near(likelihood(merged, []), 0.4 * 0.5, 1e-5);
    near(likelihood(merged, [1, 1]), 0, 1e-5);
  });
  test('the likelihoods of all readings sum to one', () => {
    const merged = read(
      [
        [0, 1, 0.5],
        [1, 2, 0.3],
        [1, 1, 0.3],
        [2, 2, 0.8],
      ],
      3,
    );
    const digits = [0, 1];
    const all: number[][] = [[], ...digits.map((a) => [a])];
    for (const a of digits) {
      for (const b of digits) all.push([a, b], ...digits.map((c) => [a, b, c]));
    }
    near(
      all.reduce((sum, each) => sum + likelihood(merged, each), 0),
      1,
      1e-4,
    );
  });
  test('a repeated digit needs a blank between', () => {
    near(
      likelihood(
        read(
          [
            [0, 3, 1],
            [2, 3, 1],
          ],
          3,
        ),
        [2, 2],
      ),
      1,
      1e-4,
    );
    near(
      likelihood(
        read(
          [
            [0, 3, 1],
            [1, 3, 1],
            [2, 3, 1],
          ],
          3,
        ),
        [2, 2],
      ),
      0,
      1e-4,
    );
  });
  test('the best path merges black and red of a digit', () => {
    const path = bestPath(
      read(
        [
          [1, 4, 0.4],
          [1, 14, 0.4],
          [2, 4, 0.9],
          [4, 5, 0.6],
        ],
        6,
      ),
    );
    assert.deepEqual(path, [
      { digit: 3, step: 2 },
      { digit: 4, step: 4 },
    ]);
  });
  test('the alignment gives each digit its steps', () => {
    const merged = read(
      [
        [1, 4, 0.9],
        [2, 4, 0.9],
        [4, 4, 0.9],
        [5, 6, 0.9],
      ],
      7,
    );
    assert.deepEqual(align(merged, [3, 3, 5]), [
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
    ['00', -1, undefined],
    ['123456789012345678999', 1, '123456789012345679000'],
  ];
  for (const [digits, by, expected] of cases) {
    test(`${digits} by ${by}`, () =>
      assert.equal(stepFrom([...digits].map(Number), by)?.join(''), expected));
  }
});

suite('fractionOf', () => {
  const even = { other: Array<number>(9).fill(0.2) };
  const sureOf = (red: number[]) => fractionOf(red, { fractionPrior: even }).sure;
  const cases: [string, number[], number][] = [
    ['three red at the end', [0.02, 0.01, 0.03, 0.02, 0.01, 0.97, 0.95, 0.9], 3],
    ['none', [0.02, 0.01, 0.03, 0.02, 0.01], 0],
    ['one doubtful wheel among the red', [0.02, 0.01, 0.03, 0.02, 0.01, 0.97, 0.4, 0.99], 3],
    ['never all wheels', [0.9, 0.9, 0.9, 0.9], 2],
  ];
  for (const [name, red, wheels] of cases) {
    test(name, () => assert.equal(fractionOf(red, { fractionPrior: even }).wheels, wheels));
  }
  test('goes by what is usual where the picture is grey', () => {
    const usual = { other: [1], 8: [0.1, 0.05, 0.05, 0.8], 5: [0.9, 0.1] };
    const grey = (wheels: number) =>
      fractionOf(Array<number>(wheels).fill(0.5), { fractionPrior: usual }).wheels;
    assert.equal(grey(8), 3);
    assert.equal(grey(5), 0);
    assert.equal(grey(6), 0);
  });
  test('is unsure where the colour is', () => {
    assert.ok(sureOf([0.01, 0.01, 0.01, 0.99, 0.99]) > 0.95);
    assert.ok(sureOf([0.01, 0.01, 0.5, 0.99, 0.99]) < 0.6);
  });
});

suite('chooseCandidates', () => {
  const at = (x: number, score: number) => ({
    quad: quadOf([
      [x, 0],
      [x + 100, 0],
      [x + 100, 20],
      [x, 20],
    ]),
    score,
  });
  const limits = {
    candidates: 2,
    minLocateScore: 0.05,
    relativeLocateScore: 0.2,
    sameCounterDistance: 0.35,
  };
  const cases: [string, ReturnType<typeof at>[], number[]][] = [
    ['one for each counter', [at(0, 0.9), at(34, 0.8), at(36, 0.7)], [0, 36]],
    ['the very best whatever its score', [at(0, 0.01), at(300, 0.009)], [0]],
    ['none below a share of the best', [at(0, 0.9), at(300, 0.17)], [0]],
    ['so many at most', [at(0, 0.9), at(300, 0.8), at(600, 0.7)], [0, 300]],
    ['none of none', [], []],
  ];
  for (const [name, found, expected] of cases) {
    test(name, () =>
      assert.deepEqual(
        chooseCandidates(found, limits).map(({ quad }) => quad[0].x),
        expected,
      ),
    );
  }
});

suite('stripRegion', () => {
  const box = (xmin: number, ymin: number, xmax: number, ymax: number) =>
    quadOf([
      [xmin, ymin],
      [xmax, ymin],
      [xmax, ymax],
      [xmin, ymax],
    ]);
  const picture = { width: 403, height: 301 };
  const cases: [string, Quad[], [number, number, number, number]][] = [
    ['has room for the coarsest level, on its grid', [box(101, 50, 200, 77)], [92, 40, 116, 48]],
    ['covers all strips', [box(101, 50, 200, 77), box(40, 90, 60, 95)], [32, 40, 176, 64]],
    ['keeps to the picture', [box(-50, -5, 900, 700)], [0, 0, 403, 301]],
    ['is never too small, outside either', [box(500, 400, 501, 401)], [384, 284, 19, 17]],
  ];
  for (const [name, quads, expected] of cases) {
    test(name, () => {
      const { left, top, width, height } = stripRegion(quads, picture);
      assert.deepEqual([left, top, width, height], expected);
    });
  }
});

suite('createNetworkCounterReader', () => {
  const counter: Corners = [
    [100, 100],
    [300, 100],
    [300, 140],
    [100, 140],
  ];
  const floats = (data: number[] | Float32Array, ...dims: number[]): TensorData => ({
    type: 'float32',
    data: Float32Array.from(data),
    dims,
  });
  /** Networks that see one counter, read only in the direction of the picture. */
  function reader(legible: number, { upsideDown = 0.05, sure = 0.95 } = {}) {
    const digits = [...'02741'].map((digit, i): Peak => [5 + i * 11, Number(digit) + 1, sure]);
    const counts: number[] = [];
    const released: string[] = [];
    const release = (name: string) => () => {
      released.push(name);
      return Promise.resolve();
    };
    const made = createNetworkCounterReader(
      {
        locate: {
          run: ({ image }) => {
            assert.deepEqual(image?.dims, [1, rules.locateSize, rules.locateSize, 3]);
            // 400 × 300 in a square of 320: scale 0.8, 40 rows above.
            const quad = counter.flatMap(([x, y]) => [x * 0.8, y * 0.8 + 40]);
            return Promise.resolve({ quads: floats(quad, 1, 4, 2), scores: floats([0.9], 1) });
          },
          release: release('locate'),
        },
        refine: {
          run: ({ image, quads }) => {
            assert.deepEqual(image?.dims, [1, 300, 400, 3]);
            for (const [i, value] of [...(quads?.data ?? [])].entries()) {
              near(Number(value), counter.flat()[i] ?? NaN, 0.01);
            }
            return Promise.resolve({
              corners: floats(counter.flat(), 1, 4, 2),
              upside_down: floats([upsideDown], 1),
              scores: floats([0.95], 1),
            });
          },
          release: release('refine'),
        },
        read: {
          run: ({ quads }) => {
            const count = quads?.dims[0] ?? 0;
            counts.push(count);
            const upright = (i: number) =>
              Number(quads?.data[i * 8]) < Number(quads?.data[i * 8 + 2]);
            const rows = Array.from(
              { length: count },
              (_, i) => strip(upright(i) ? digits : []).data,
            );
            const seen = Array.from({ length: count }, (_, i) => (upright(i) ? legible : 0.01));
            return Promise.resolve({
              probs: floats(
                rows.flatMap((row) => [...row]),
                count,
                steps,
                21,
              ),
              legible: floats(seen, count),
            });
          },
          release: release('read'),
        },
      },
      rules,
    );
    return { made, counts, released };
  }
  const picture = (width: number, height: number) => ({
    data: new Uint8Array(width * height * 3),
    width,
    height,
  });
  const { signal } = new AbortController();

  test('maps the counter between the networks and reads it', async () => {
    const { made, counts } = reader(0.9);
    const { reading, timings } = await made.read(picture(400, 300), {}, signal);
    assert.equal(reading?.wheels.map(({ digit }) => digit).join(''), '02741');
    nearQuad(reading.quad, counter);
    // Both directions on one crop, then the only one that holds digits on the others.
    assert.deepEqual(counts, [2, rules.crops.length - 1]);
    assert.deepEqual(Object.keys(timings), ['locate', 'refine', 'read']);
  });
  test('does not read a direction that is surely wrong', async () => {
    const { made, counts } = reader(0.9, { upsideDown: 0.005 });
    assert.notEqual((await made.read(picture(400, 300), {}, signal)).reading, null);
    assert.deepEqual(counts, [1, rules.crops.length - 1]);
  });
  test('reads upright what the refiner takes for upside-down', async () => {
    const { made, counts } = reader(0.9, { upsideDown: 0.995 });
    assert.notEqual((await made.read(picture(400, 300), {}, signal)).reading, null);
    assert.deepEqual(counts, [2, rules.crops.length - 1]);
  });
  test('is content with one crop that is read surely', async () => {
    const { made, counts } = reader(0.99, { sure: 0.998 });
    const { reading } = await made.read(picture(400, 300), {}, signal);
    assert.equal(reading?.wheels.map(({ digit }) => digit).join(''), '02741');
    assert.deepEqual(counts, [2]);
  });
  test('reads all crops where the reading contradicts what is known', async () => {
    const { made, counts } = reader(0.99, { sure: 0.998 });
    await made.read(picture(400, 300), { digits: 6 }, signal);
    assert.deepEqual(counts, [2, rules.crops.length - 1]);
  });
  test('finds nothing where nothing is legible', async () => {
    assert.equal((await reader(0.1).made.read(picture(400, 300), {}, signal)).reading, null);
  });
  test('does not ask the networks about a picture that is too small to read', async () => {
    const { made, counts } = reader(0.9);
    assert.equal((await made.read(picture(400, 15), {}, signal)).reading, null);
    assert.deepEqual(counts, []);
  });
  test('stops between the networks when the caller has gone', async () => {
    const { made, counts } = reader(0.9);
    await assert.rejects(
      made.read(picture(400, 300), {}, AbortSignal.abort(new Error('gone'))),
      /gone/,
    );
    assert.deepEqual(counts, []);
  });
  test('releases all networks', async () => {
    const { made, released } = reader(0.9);
    await made.release();
    assert.deepEqual(released.sort(), ['locate', 'read', 'refine']);
  });
});

suite('rules', () => {
  test('of the served networks are complete', async () => {
    await loadMeterModel(await loadManifest(manifestUrl), manifestUrl);
  });
  test('that are wrong are all named', () => {
    assert.throws(
      () => parseReaderRules({ ...rules, maxSide: -1, crops: [] }),
      (error: Error) => /maxSide/.test(error.message) && /crops/.test(error.message),
    );
  });
});
