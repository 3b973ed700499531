import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assembleReading } from '../../../../core-server/features/meter/assemble.js';
import { mayGoOnOutside } from '../../../../core-server/features/meter/counter-edges.js';
import type { CounterReading } from '../../../../core-server/features/meter/counter-reading.js';
import { mapped } from '../../../../core-server/features/meter/geometry.js';
import { alongCounter, wheelQuads } from '../../../../core-server/features/meter/read/wheels.js';
import { withinBars } from '../../../../core-server/features/meter/read/within-bars.js';
import { type Point, type RgbPicture, wholeOf } from '../../../../core-server/image/picture.js';
import { box, sureCounter } from './fixtures.js';
import { near, rules } from './reference.js';

/** Wheels of 20 x 30 pixels in a row, the first from there on. */
function wheelsFrom(x: number, y: number, count = 5): CounterReading['wheels'] {
  return Array.from({ length: count }, (_, at) => {
    return { digit: '7', confidence: 1, quad: box(x + 20 * at, y, 20, 30), betweenPositions: false };
  });
}

function moved(wheels: CounterReading['wheels'], move: (point: Point) => Point): CounterReading['wheels'] {
  return wheels.map((wheel) => ({ ...wheel, quad: mapped(wheel.quad, move) }));
}

const picture = wholeOf({ width: 200, height: 120 });

suite('mayGoOnOutside', () => {
  const places: [string, number, boolean][] = [
    ['begins at the left edge', 0, true],
    ['begins a bit outside', -4, true],
    ['begins half a wheel from the left edge', 10, true],
    ['begins a wheel from the left edge', 20, false],
    ['is in the middle', 50, false],
    ['ends a wheel from the right edge', 80, false],
    ['ends half a wheel from the right edge', 90, true],
    ['ends at the right edge', 100, true],
  ];
  for (const [what, x, isCut] of places) {
    test(`${isCut ? 'doubts' : 'believes'} a counter that ${what}`, () => {
      assert.equal(mayGoOnOutside({ wheels: wheelsFrom(x, 45) }, picture), isCut);
    });
  }
  test('sees it in whichever direction the counter is read, within bars too', () => {
    const { width, height } = picture;
    const directions: ((point: Point) => Point)[] = [
      ({ x, y }) => ({ x: height - y, y: x }),
      ({ x, y }) => ({ x: width - x, y: height - y }),
      ({ x, y }) => ({ x: y, y: width - x }),
    ];
    for (const [at, turn] of directions.entries()) {
      const turned = at === 1 ? picture : wholeOf({ width: height, height: width });
      for (const [x, isCut] of [
        [2, true],
        [50, false],
        [98, true],
      ] as const) {
        for (const [left, top] of [
          [0, 0],
          [30, 40],
        ] as const) {
          const wheels = moved(moved(wheelsFrom(x, 45), turn), (point) => ({ x: left + point.x, y: top + point.y }));
          assert.equal(mayGoOnOutside({ wheels }, { ...turned, left, top }), isCut, `${at} ${x} ${left}`);
        }
      }
    }
  });
  test('believes a picture that was cut out close around the counter', () => {
    assert.equal(mayGoOnOutside({ wheels: wheelsFrom(2, 20) }, wholeOf({ width: 104, height: 85 })), false);
    assert.equal(mayGoOnOutside({ wheels: wheelsFrom(2, 20) }, wholeOf({ width: 104, height: 90 })), true);
  });
});

test('assembleReading doubts a counter of four wheels, unless the caller says that these are all', () => {
  const counter = sureCounter(box(30, 45, 20, 30), wheelsFrom(30, 45, 4));
  const facts = { picture, copy: picture, shown: picture, light: 'good', checkBelow: 0.5 } as const;
  const { status, warnings } = assembleReading(counter, { ...facts, known: {} });
  assert.deepEqual([status, warnings], ['CHECK', ['COUNTER_CUT']]);
  assert.equal(assembleReading(counter, { ...facts, known: { digits: 4 } }).status, 'OK');
});

suite('assembleReading of a counter at an edge', () => {
  const counter = sureCounter(box(0, 45, 20, 30), wheelsFrom(0, 45));
  const read = (known: { digits?: number }, shown = picture) =>
    assembleReading(counter, { picture, copy: picture, shown, light: 'good', checkBelow: 0.5, known });
  test('is CHECK, however sure its wheels are', () => {
    const { status, warnings, value } = read({});
    assert.deepEqual([status, warnings, value], ['CHECK', ['COUNTER_CUT'], '77777']);
  });
  test('is CHECK too where what is above and below it looks like bars', () => {
    assert.equal(read({}, { ...picture, top: 40, height: 40 }).status, 'CHECK');
  });
  test('is OK where the caller says that these are all', () => {
    assert.deepEqual(read({ digits: 5 }).status, 'OK');
    assert.deepEqual(read({ digits: 5 }).warnings, []);
    assert.deepEqual(read({ digits: 6 }).warnings, ['UNEXPECTED_DIGITS', 'COUNTER_CUT']);
  });
});

test('withinBars is what is within bars of one colour, also of different ones, and all of a picture of one colour', () => {
  const photo = { left: 30, top: 20, width: 60, height: 40 };
  const paint = (colourAt: (x: number, y: number) => number): RgbPicture => {
    const colours = Array.from({ length: 100 * 80 }, (_, at) => colourAt(at % 100, Math.floor(at / 100)));
    return { width: 100, height: 80, data: Buffer.from(colours.flatMap((level) => [level, level, level])) };
  };
  const inPhoto = (x: number, y: number) => x >= 30 && x < 90 && y >= 20 && y < 60;
  // Neighbours of a photo differ, those of a bar hardly.
  const levelAt = (x: number, y: number) => (inPhoto(x, y) ? (x * y) % 256 : (y < 20 ? 250 : 0) + (x % 5));
  assert.deepEqual(withinBars(paint(levelAt)), photo);
  const speck = paint((x, y) => (y === 10 && x < 2 ? 128 : levelAt(x, y)));
  assert.deepEqual(withinBars(speck), { left: 0, top: 10, width: 100, height: 50 });
  const whole = paint((x, y) => ((x + 3) * (y + 7)) % 256);
  assert.deepEqual(withinBars(whole), wholeOf(whole));
  const none = paint(() => 128);
  assert.deepEqual(withinBars(none), wholeOf(none));
});

test('wheels are laid in an even row, unless one is far from it', () => {
  const even = [0.303, 0.401, 0.499, 0.597];
  const far = [0.3, 0.4, 0.5, 0.8];
  for (const [seen, laid] of [
    [[0.3, 0.41, 0.49, 0.6], even],
    [far, far],
  ] as const) {
    const places = alongCounter(laid, rules);
    for (const [at, [left, right]] of wheelQuads(box(0, 0, 100, 20), seen, rules).entries())
      near((left.x + right.x) / 2, 100 * (places[at] ?? NaN), 0.01);
  }
});
