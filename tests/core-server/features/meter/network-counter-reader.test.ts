import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createStopwatch } from '../../../../core-server/common/stopwatch.js';
import { decimalOf } from '../../../../core-server/features/meter/decimal.js';
import type { KnownMeter } from '../../../../core-server/features/meter/known-meter.js';
import { createNetworkCounterReader } from '../../../../core-server/features/meter/network-counter-reader.js';
import { parseReaderRules } from '../../../../core-server/features/meter/reader-rules.js';
import type { TensorData } from '../../../../core-server/inference/models/sessions.js';
import { type Corners, near, nearQuad, type Peak, rules, steps, strip } from './reference.js';

suite('createNetworkCounterReader', () => {
  const counter: Corners = [
    [100, 100],
    [300, 100],
    [300, 140],
    [100, 140],
  ];
  const counterInWindow: Corners = [
    [1 / 6, 11 / 30],
    [5 / 6, 11 / 30],
    [5 / 6, 19 / 30],
    [1 / 6, 19 / 30],
  ];
  const floats = (data: number[] | Float32Array, ...dims: number[]): TensorData => ({
    type: 'float32',
    data: Float32Array.from(data),
    dims,
  });
  /** Networks that see one counter, read in the direction of the picture or both ways. */
  function reader(
    legible: number,
    {
      upsideDown = 0.05,
      sure = 0.95,
      surer = sure,
      next = 0,
      bothWays = false,
      alone = 0.99,
      fraction = [1, 0, 0, 0, 0, 0],
      turnedFraction = fraction,
      x: moved = 0,
      mirrored = [],
      onRun,
    }: {
      upsideDown?: number;
      sure?: number;
      /** At all but the first places. */
      surer?: number;
      next?: number;
      bothWays?: boolean;
      alone?: number;
      fraction?: number[];
      turnedFraction?: number[];
      x?: number;
      mirrored?: Peak[];
      onRun?: (network: string) => void;
    } = {},
  ) {
    const digitsOf = (each: number): Peak[] => [
      ...[...'02741'].map((digit, i): Peak => [5 + i * 11, Number(digit) + 1, each]),
      // The last wheel may be the next digit.
      [5 + 4 * 11, 2 + 1, next],
    ];
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
            onRun?.('locate');
            assert.deepEqual(image?.dims, [1, rules.locateSize, rules.locateSize, 3]);
            // 400 × 300 in a square of 320: scale 0.8, 40 rows above.
            const quad = counter.flatMap(([x, y]) => [(x + moved) * 0.8, y * 0.8 + 40]);
            return Promise.resolve({ quads: floats(quad, 1, 4, 2), scores: floats([0.9], 1) });
          },
          release: release('locate'),
        },
        refine: {
          run: ({ quads }) => {
            onRun?.('refine');
            const count = quads?.dims[0] ?? 0;
            const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN, , y3 = NaN] = [...(quads?.data ?? [])].map(Number);
            // One and a half counters wide, from the first candidate or the first of the other starts.
            near(x2 - x1, 300 * (count === 1 ? 1 : (rules.otherStarts.scales[0] ?? NaN)), 0.01);
            near(y3 - y2, (x2 - x1) / 2, 0.01);
            near(y1, y2, 0.01);
            return Promise.resolve({
              corners: floats(
                Array.from({ length: count }).flatMap(() => counterInWindow.flat()),
                count,
                4,
                2,
              ),
              upside_down: floats(Array<number>(count).fill(upsideDown), count),
              scores: floats(Array<number>(count).fill(0.95), count),
            });
          },
          release: release('refine'),
        },
        read: {
          run: ({ quads }) => {
            onRun?.('read');
            const count = quads?.dims[0] ?? 0;
            const digits = digitsOf(counts.length === 0 ? sure : surer);
            counts.push(count);
            const isLess = (a: number, b: number) => Number(quads?.data[a]) < Number(quads?.data[b]);
            const level = (i: number) => isLess(i * 8, i * 8 + 2);
            const upright = (i: number) => bothWays || level(i);
            const isMirrored = (i: number) => level(i) !== isLess(i * 8 + 1, i * 8 + 7);
            const peaksOf = (i: number) => (isMirrored(i) ? mirrored : upright(i) ? digits : []);
            const rows = Array.from({ length: count }, (_, i) => strip(peaksOf(i)).data);
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
        mark: {
          run: ({ quads }) => {
            onRun?.('mark');
            const cells = Array<number>(quads?.dims[0] ?? 0).fill(1);
            const isLevel = Number(quads?.data[0]) < Number(quads?.data[2]);
            return Promise.resolve({
              fraction: floats(isLevel ? fraction : turnedFraction, 6),
              wheel: floats(cells, cells.length),
              digit: floats(
                cells.flatMap((_, i) => Array.from('0123456789', (digit) => (digit === '02741'[i] ? alone : 0.001))),
                cells.length,
                10,
              ),
            });
          },
          release: release('mark'),
        },
      },
      rules,
    );
    return { made, counts, released };
  }
  const picture = (width: number, height: number) => ({ data: new Uint8Array(width * height * 3), width, height });
  const { signal } = new AbortController();
  const { time } = createStopwatch(signal);
  const starts = rules.otherStarts.scales.length;

  test('maps the counter between the networks and reads it', async () => {
    const { made, counts } = reader(0.9);
    const { time: timed, timings } = createStopwatch(signal);
    const reading = (await made.read(picture(400, 300), {}, timed))?.counter;
    assert.equal(reading?.wheels.map(({ digit }) => digit).join(''), '02741');
    nearQuad(reading.quad, counter);
    // Both directions on one crop, then the only one that holds digits on the others and mirrored.
    assert.deepEqual(counts, [2, rules.crops.length]);
    assert.deepEqual(Object.keys(timings), ['locate', 'refine', 'read', 'mark']);
  });
  test('does not read a direction that is surely wrong', async () => {
    const { made, counts } = reader(0.9, { upsideDown: 0.005 });
    assert.notEqual(await made.read(picture(400, 300), {}, time), null);
    assert.deepEqual(counts, [1, rules.crops.length]);
  });
  test('reads upright what the refiner takes for upside-down', async () => {
    const { made, counts } = reader(0.9, { upsideDown: 0.995 });
    assert.notEqual(await made.read(picture(400, 300), {}, time), null);
    assert.deepEqual(counts, [2, rules.crops.length]);
  });
  test('reads both directions on all crops where neither leads clearly', async () => {
    const { made, counts } = reader(0.9, { bothWays: true });
    await made.read(picture(400, 300), {}, time);
    assert.deepEqual(counts, [2, 2 * starts, 2 * rules.crops.length]);
  });
  test('starts again from other places where the reading is in doubt', async () => {
    const { made, counts } = reader(0.9, { sure: 0.8 });
    const reading = (await made.read(picture(400, 300), {}, time))?.counter;
    assert.equal(reading?.wheels.map(({ digit }) => digit).join(''), '02741');
    assert.deepEqual(counts, [2, 2 * starts, rules.crops.length]);
  });
  test('has the counter where one of the other starts reads it surely', async () => {
    const { made } = reader(0.9, { sure: 0.6, surer: 0.95 });
    const [topLeft, topRight] = (await made.read(picture(400, 300), {}, time))?.counter.quad ?? assert.fail();
    near(topRight.x - topLeft.x, 200 * (rules.otherStarts.scales[0] ?? NaN), 0.01);
  });
  test('is content with one crop that is read surely', async () => {
    const { made, counts } = reader(0.99, { sure: 0.998 });
    const reading = (await made.read(picture(400, 300), {}, time))?.counter;
    assert.equal(reading?.wheels.map(({ digit }) => digit).join(''), '02741');
    assert.deepEqual(counts, [2]);
  });
  test('reads all crops where the reading contradicts what is known', async () => {
    const { made, counts } = reader(0.99, { sure: 0.998 });
    await made.read(picture(400, 300), { digits: 6 }, time);
    assert.deepEqual(counts, [2, 2 * starts, rules.crops.length]);
  });
  test('reads what the photo alone shows where what is known leads to a reading that is refused', async () => {
    const runs: string[] = [];
    const seen = { sure: 0.7, next: 0.25, fraction: [0, 1, 0, 0, 0, 0] };
    const { made } = reader(0.9, { ...seen, onRun: (network) => void runs.push(network) });
    const known = { decimals: 0, previous: decimalOf('2742', 0) };
    const reading = (await made.read(picture(400, 300), known, time))?.counter;
    assert.equal(reading?.wheels.map(({ digit }) => digit).join(''), '02741');
    assert.equal(reading.fractionWheels, 0);
    assert.deepEqual(
      runs.filter((network) => network !== 'read' && network !== 'refine'),
      ['locate', 'mark', 'mark', 'mark'],
    );
  });
  test('looks at the wheels of the place that is the best once those of another are marked', async () => {
    const runs: string[] = [];
    const seen = { bothWays: true, fraction: [0, 0, 1, 0, 0, 0], turnedFraction: [1, 0, 0, 0, 0, 0] };
    const { made } = reader(0.9, { ...seen, onRun: (network) => void runs.push(network) });
    const ofPhoto = async (known: KnownMeter) => {
      const { counter: read, hypothesis } = (await made.read(picture(400, 300), known, time)) ?? assert.fail();
      const [topLeft, topRight] = read.quad;
      return [
        topLeft.x < topRight.x ? 'upright' : 'turned',
        read.fractionWheels,
        hypothesis.marks?.fraction.indexOf(1),
      ];
    };
    assert.deepEqual(await ofPhoto({}), ['upright', 2, 2]);
    // 27.41 is below.
    assert.deepEqual(await ofPhoto({ previous: decimalOf('2741', 0) }), ['turned', 0, 0]);
    // Its wheels and what may be before the first, and once more for the second.
    assert.equal(runs.filter((network) => network === 'mark').length, 2 + 3);
  });
  test('sees a wheel two places before the first, within the picture', async () => {
    const isBefore = async (alone: number, x = 0) =>
      (await reader(0.9, { alone, x }).made.read(picture(400, 300), {}, time))?.counter.wheelBefore;
    assert.equal(await isBefore(0.999), true);
    assert.equal(await isBefore(0.99), false);
    assert.equal(await isBefore(0.999, -60), false);
  });
  test('is half as sure of a counter that reads better mirrored', async () => {
    const sureOf = async (each: number) => {
      const mirrored = Array.from({ length: 5 }, (_, i): Peak => [5 + i * 11, 3, each]);
      return (await reader(0.9, { mirrored }).made.read(picture(400, 300), {}, time))?.counter.digitsConfidence ?? NaN;
    };
    near(await sureOf(0.99), (await sureOf(0.9)) / 2);
  });
  test('finds nothing where nothing is legible', async () => {
    assert.equal(await reader(0.1).made.read(picture(400, 300), {}, time), null);
  });
  test('does not ask the networks about a picture that is too small to read', async () => {
    const { made, counts } = reader(0.9);
    assert.equal(await made.read(picture(400, 15), {}, time), null);
    assert.deepEqual(counts, []);
  });
  for (const during of ['locate', 'refine', 'read']) {
    test(`runs no further network when the caller goes during ${during}`, async () => {
      const gone = new AbortController();
      const runs: string[] = [];
      const { made } = reader(0.9, {
        onRun(network) {
          runs.push(network);
          if (network === during) gone.abort(new Error('gone'));
        },
      });
      await assert.rejects(made.read(picture(400, 300), {}, createStopwatch(gone.signal).time), /gone/);
      assert.equal(runs.indexOf(during), runs.length - 1);
    });
  }
  test('releases all networks', async () => {
    const { made, released } = reader(0.9);
    await made.release();
    assert.deepEqual(released.sort(), ['locate', 'mark', 'read', 'refine']);
  });
});

test('rules that are wrong are all named', () => {
  assert.throws(
    () => parseReaderRules({ ...rules, maxSide: -1, crops: [] }),
    (error: Error) => /maxSide/.test(error.message) && /crops/.test(error.message),
  );
});
