import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Call } from '../../../../core-server/common/call.js';
import type { SeenCounter } from '../../../../core-server/features/meter/counter-reading.js';
import { decimalOf } from '../../../../core-server/features/meter/decimal.js';
import { fusePhotos } from '../../../../core-server/features/meter/photos/fuse-photos.js';
import { fuseReadings } from '../../../../core-server/features/meter/photos/fuse-readings.js';
import { readPhotos } from '../../../../core-server/features/meter/photos/read-photos.js';
import { mostSure } from '../../../../core-server/features/meter/probability.js';
import type { Marks } from '../../../../core-server/features/meter/read/hypothesis.js';
import { wholeOf } from '../../../../core-server/image/picture.js';
import type { Reason } from '../../../../runtime/errors/reasons.js';
import { refuse } from '../../../../runtime/errors/refusal.js';
import { box, sureCounter } from './fixtures.js';
import { near, type Peak, rules, strip } from './reference.js';

const quad = box(10, 20, 80, 20);

interface Look {
  readonly sure?: number;
  /** At a wheel, another digit and its probability. */
  readonly doubt?: readonly [at: number, digit: string, probability: number];
  readonly fraction?: readonly number[];
}

/** A photo whose strip shows these digits, the last 3 red, and by default marked as behind the point. */
function photo(text: string, { sure = 0.9, doubt, fraction = [0, 0, 0, 0.95, 0] }: Look = {}): SeenCounter {
  const peaks = [...text].flatMap((digit, at): Peak[] => {
    const step = 4 + at * 6;
    const zero = at < text.length - 3 ? 1 : 11;
    if (doubt?.[0] !== at) return [[step, zero + Number(digit), 0.99]];
    return [
      [step, zero + Number(digit), 0.99 - doubt[2]],
      [step, zero + Number(doubt[1]), doubt[2]],
    ];
  });
  const untold = 1 - fraction.reduce((sum, p) => sum + p, 0);
  const marks: Marks = { fraction, untold, wheels: [...text].map(() => 0.99), digits: [] };
  const others: [string, number][] = doubt
    ? [[text.slice(0, doubt[0]) + doubt[1] + text.slice(doubt[0] + 1), doubt[2]]]
    : [];
  const wheels = [...text].map((digit, at) => {
    return { digit, confidence: 0.9, quad: box(10 + 10 * at, 20, 10, 20), betweenPositions: false };
  });
  const shown = { digitsConfidence: sure, fractionConfidence: 0.99, fractionWheels: 3 };
  const counter = { ...sureCounter(quad, wheels), ...shown };
  const readings = new Map([[text, 0.9 - (doubt?.[2] ?? 0)], ...others]);
  return { counter, hypothesis: { strips: [{ ...strip(peaks, 56), legible: 1 }], readings, marks } };
}

const textOf = ({ counter }: ReturnType<typeof fusePhotos>) => counter.wheels.map(({ digit }) => digit).join('');

suite('fusePhotos', () => {
  test('of one photo changes nothing', () => {
    const one = photo('00123456');
    assert.deepEqual(fusePhotos([one], rules), { counter: one.counter, best: 0, agrees: [true], disagree: false });
  });

  test('is surer than each of two photos that agree, and less than if they were independent', () => {
    const { counter, disagree, agrees } = fusePhotos([photo('00123456', { sure: 0.8 }), photo('00123456')], rules);
    assert.ok(counter.digitsConfidence > 0.9 && counter.digitsConfidence < 0.98, String(counter.digitsConfidence));
    assert.deepEqual([agrees, disagree], [[true, true], false]);
    assert.deepEqual([counter.fractionWheels, counter.isFractionSure], [3, true]);
  });

  test('tells of each wheel what is seen best, where the best photo has it, and whether it is between two numbers', () => {
    const moving = photo('00123456', { doubt: [7, '7', 0.3] });
    const { wheels } = fusePhotos([moving, photo('00123456', { sure: 0.8 })], rules).counter;
    assert.deepEqual([wheels[3]?.quad, wheels[7]?.betweenPositions], [box(40, 20, 10, 20), false]);
    near(wheels[7]?.confidence, 0.99);
    const both = fusePhotos([moving, moving], rules).counter;
    assert.deepEqual(
      both.wheels.map(({ betweenPositions }) => betweenPositions),
      [false, false, false, false, false, false, false, true],
    );
    assert.deepEqual(
      both.alternatives.map(({ text }) => text),
      ['00123457'],
    );
  });

  test('reads what no photo reads alone', () => {
    // Each is wrong about one wheel, and not quite certain of it.
    const photos = [
      photo('00723456', { doubt: [2, '1', 0.4], sure: 0.6 }),
      photo('00193456', { doubt: [3, '2', 0.4], sure: 0.6 }),
    ];
    const readings = photos.map((each) => {
      return {
        ...each,
        hypothesis: { ...each.hypothesis, readings: new Map([...each.hypothesis.readings, ['00123456', 0.1]]) },
      };
    });
    assert.equal(textOf(fusePhotos(readings, rules)), '00123456');
  });

  test('has two outvote one misread wheel, without a warning', () => {
    const fused = fusePhotos([photo('00128456'), photo('00123456'), photo('00123456')], rules);
    assert.equal(textOf(fused), '00123456');
    assert.deepEqual([fused.agrees, fused.disagree], [[false, true, true], false]);
    assert.notEqual(fused.best, 0);
  });

  test('is no surer of eight photos than of three', () => {
    const of = (count: number) =>
      fusePhotos(
        Array.from({ length: count }, () => photo('00123456', { sure: 0.8 })),
        rules,
      ).counter.digitsConfidence;
    near(of(8), of(3), 1e-9);
    assert.ok(of(3) > of(2));
    const certain = photo('00123456', { sure: 0.9995 });
    assert.equal(fusePhotos([certain, certain, certain], rules).counter.digitsConfidence, 0.9995);
  });

  test('is what all photos read alone, though their strips show the next number more', () => {
    const fraction = [0.95, 0, 0, 0, 0];
    const moving = photo('00070', { doubt: [4, '1', 0.6], fraction });
    const fused = fusePhotos([moving, moving], rules);
    assert.deepEqual([textOf(fused), fused.agrees, fused.disagree], ['00070', [true, true], false]);
    assert.ok(fused.counter.digitsConfidence > 0.2);
  });

  test('weighs readings by the previous one', () => {
    const photosWith = (look: Look) => [
      photo('00123456', { doubt: [7, '7', 0.3], ...look }),
      photo('00123457', { doubt: [7, '6', 0.45], ...look }),
    ];
    assert.equal(textOf(fusePhotos(photosWith({}), rules)), '00123456');
    assert.equal(textOf(fusePhotos(photosWith({}), rules, { previous: decimalOf('123457', 3) })), '00123457');
    // The point may be anywhere.
    const unsure = photosWith({ fraction: [0.2, 0.2, 0.2, 0.2, 0.2] });
    assert.equal(textOf(fusePhotos(unsure, rules, { previous: decimalOf('123457', 0) })), '00123457');
  });

  test('does not decide between one and one', () => {
    const fused = fusePhotos([photo('00128456'), photo('00123456')], rules);
    assert.ok(fused.disagree);
    near(fused.counter.digitsConfidence, 0.45, 0.06);
  });

  for (const [what, other] of [
    ['of another counter', '00987456'],
    ['with another number of wheels', '0123456'],
    ['with a wheel more', '001234567'],
  ] as const)
    test(`disagrees with a photo ${what}, however many agree`, () => {
      const same = [photo('00123456'), photo('00123456'), photo('00123456'), photo('00123456')];
      const fused = fusePhotos([...same, photo(other)], rules);
      assert.equal(textOf(fused), '00123456');
      assert.ok(fused.disagree);
      const hardlyReadable = fusePhotos([...same, photo(other, { sure: 0.2 })], rules);
      assert.equal(hardlyReadable.disagree, false);
    });

  test('reads no number of wheels that no photo has by its own reading, whatever the strips show', () => {
    // The strips show one wheel more.
    const led = {
      ...photo('00012'),
      hypothesis: {
        ...photo('000172').hypothesis,
        readings: new Map([
          ['000172', 0.7],
          ['00012', 0.2],
        ]),
      },
    };
    const fused = fusePhotos([led, led, led], rules, { digits: 5 });
    assert.deepEqual([textOf(fused), fused.agrees], ['00012', [true, true, true]]);
    assert.ok(fused.counter.digitsConfidence > 0.5);
    for (const { confidence } of fused.counter.wheels)
      assert.ok(confidence >= 0 && confidence <= 1, String(confidence));
  });

  test('tells which photo alone shows another digit, though its strips rather show this one', () => {
    const fused = fusePhotos([photo('00123456'), photo('00124456', { doubt: [4, '3', 0.6] })], rules);
    assert.deepEqual([textOf(fused), fused.agrees, fused.disagree], ['00123456', [true, false], false]);
  });

  test('has its places in a photo of as many wheels, also where none shows it rather than another', () => {
    const fraction = [0.95, 0, 0, 0, 0];
    const split = ['83057', '83068', '83079'].map((text) => photo(text, { fraction }).hypothesis);
    const seen = {
      counter: photo('30453', { sure: 0.6, fraction }).counter,
      hypothesis: {
        ...photo('30453', { fraction }).hypothesis,
        strips: split.flatMap(({ strips }) => strips),
        readings: new Map(split.flatMap(({ readings }) => [...readings])),
      },
    };
    const fused = fusePhotos([photo('8304', { sure: 0.15, fraction }), seen], rules);
    assert.equal(textOf(fused).slice(0, 3), '830');
    assert.deepEqual([textOf(fused).length, fused.agrees, fused.best], [5, [false, false], 1]);
  });

  test('is not disturbed by a last wheel that moves', () => {
    const fused = fusePhotos([photo('00123456'), photo('00123457'), photo('00123457')], rules);
    assert.deepEqual([textOf(fused), fused.agrees, fused.disagree], ['00123457', [true, true, true], false]);
  });

  test('takes all digits for those before a point that is not set', () => {
    const moving = [photo('00123456'), photo('00123457'), photo('00123457')];
    const unset = fusePhotos(moving, { ...rules, fractionLikely: 1 });
    assert.equal(unset.counter.fractionWheels, undefined);
    const whole = fusePhotos(moving, rules, { decimals: 0 });
    assert.equal(unset.counter.digitsConfidence, whole.counter.digitsConfidence);
    assert.deepEqual(unset.agrees, [false, true, true]);
  });

  test('finds the point where one photo shows it, and not where none does', () => {
    const none = [0, 0, 0, 0, 0];
    const [blind, clear] = [photo('00123456', { fraction: none }), photo('00123456')];
    for (const photos of [
      [blind, clear],
      [clear, blind],
    ]) {
      const shown = fusePhotos(photos, rules).counter;
      assert.deepEqual([shown.fractionWheels, shown.isFractionSure], [3, true]);
      near(shown.fractionConfidence, 0.99, 0.01);
    }
    // Each shows two points, but both only one.
    const [one, other] = [
      [0, 0, 0.6, 0.38, 0],
      [0, 0, 0.02, 0.96, 0],
    ].map((fraction) => photo('00123456', { fraction }));
    assert.ok(one && other);
    for (const photos of [
      [one, other],
      [other, one],
    ])
      assert.equal(fusePhotos(photos, rules).counter.fractionWheels, 3);
    const untold = (count: number) =>
      fusePhotos(
        Array.from({ length: count }, () => photo('0012345', { fraction: none })),
        rules,
      ).counter;
    near(untold(5).fractionConfidence, untold(2).fractionConfidence, 1e-6);
    assert.ok(untold(2).fractionConfidence < 0.95);
  });
});

const copy = { width: 100, height: 50 };
const sizes = { picture: { width: 200, height: 100 }, copy, shown: wholeOf(copy), light: 'good' } as const;

test('a photo that alone is ok answers for all where none contradicts, and not where one does', () => {
  const clear = { ...photo('00123456', { sure: 0.95 }), ...sizes };
  const vague = { ...photo('00823456', { sure: 0.45 }), ...sizes };
  const facts = { checkBelow: 0.93, known: {} };
  assert.ok(fusePhotos([vague, clear], rules).counter.digitsConfidence < 0.93);
  for (const checkBelow of [0.93, 0.5]) {
    const { reading, best } = fuseReadings({ photos: [vague, clear], checkBelow, known: {} }, rules);
    assert.deepEqual([reading.status, reading.value, reading.confidence, best], ['OK', '00123.456', 0.9405, 1]);
  }
  const other = { ...photo('00987456'), ...sizes };
  assert.equal(fuseReadings({ photos: [vague, clear, other], ...facts }, rules).reading.status, 'CHECK');
});

test('a photo that alone is surer of another value does not answer for all', () => {
  const before = photo('00123456', { sure: 0.9995 });
  const surer = { ...before, counter: { ...before.counter, fractionConfidence: 1 }, ...sizes };
  const after = { ...photo('00123457', { sure: 0.6 }), ...sizes };
  const { reading } = fuseReadings({ photos: [surer, after, after], checkBelow: 0.5, known: {} }, rules);
  assert.deepEqual([reading.status, reading.value], ['OK', '00123.457']);
});

test('a photo that can be used answers for one that is as sure and cannot, in either order', () => {
  const whole = { ...photo('00123456', { sure: 1 }), ...sizes };
  const crowded = { ...whole, counter: { ...whole.counter, rivalled: true } };
  for (const photos of [
    [whole, crowded],
    [crowded, whole],
  ])
    assert.equal(fuseReadings({ photos, checkBelow: 0.5, known: {} }, rules).reading.status, 'OK');
});

test('of photos that say as much, one in good light answers, in either order', () => {
  const good = { ...photo('00123456', { sure: mostSure }), ...sizes };
  const dark = { ...good, light: 'dark' } as const;
  const crowded = { ...good, counter: { ...good.counter, rivalled: true } };
  for (const photos of [
    [good, dark],
    [dark, good],
    [crowded, dark, good],
    [crowded, good, dark],
  ]) {
    const { reading, best } = fuseReadings({ photos, checkBelow: 0.5, known: {} }, rules);
    assert.deepEqual([reading.warnings, photos[best]], [[], good]);
  }
});

test('a wheel that one photo sees before the first one is there in all, but not before more wheels', () => {
  const covered = photo('00123456', { sure: 0.95 });
  const seen = { ...covered, counter: { ...covered.counter, wheelBefore: true }, ...sizes };
  const clear = { ...photo('00123456', { sure: 0.99 }), ...sizes };
  const longer = { ...photo('7700123456', { sure: 0.99 }), ...sizes };
  const facts = { checkBelow: 0.5, known: {} };
  const { reading } = fuseReadings({ photos: [seen, clear], ...facts }, rules);
  assert.deepEqual([reading.status, reading.warnings], ['CHECK', ['COUNTER_CUT']]);
  assert.ok(
    !fuseReadings({ photos: [longer, longer, seen], ...facts }, rules).reading.warnings.includes('COUNTER_CUT'),
  );
});

test('photos that disagree are for a person to look at', () => {
  const facts = { checkBelow: 0.5, known: {} };
  const [one, two] = [photo('00123456'), photo('00123456')].map((each) => ({ ...each, ...sizes }));
  assert.ok(one && two);
  const same = fuseReadings({ photos: [one, two], ...facts }, rules);
  assert.deepEqual([same.reading.status, same.reading.warnings], ['OK', []]);
  const other = fuseReadings({ photos: [one, two, { ...photo('00987456'), ...sizes }], ...facts }, rules);
  assert.deepEqual([other.reading.value, other.reading.status], ['00123.456', 'CHECK']);
  assert.deepEqual(other.reading.warnings, ['PHOTOS_DISAGREE']);
});

suite('readPhotos', () => {
  let admitted = 0;
  const admitRequest = () => Promise.resolve(void (admitted += 1));
  const call = { signal: new AbortController().signal, admitRequest } as Partial<Call> as Call;
  const read = (photos: number, readOne: (photo: Uint8Array, call: Call) => Promise<object>) =>
    readPhotos(
      Array.from({ length: photos }, () => new Uint8Array()),
      call,
      (photo) => photo,
      readOne,
    );

  test('refuses only the first where the queue is full, has the others wait, and counts them as requests', async () => {
    const waits: unknown[] = [];
    await read(3, (_, { wait }) => Promise.resolve([waits.push(wait)]));
    assert.deepEqual([waits, admitted], [['refuse', 'queue', 'queue'], 2]);
  });

  const ofOnePhoto = [
    'CORRUPT_IMAGE',
    'EMPTY_IMAGE',
    'UNSUPPORTED_IMAGE_TYPE',
    'IMAGE_TOO_MANY_PIXELS',
    'NO_READING',
  ] as const;
  const readRefused = (photos: number, reasons: readonly Reason[]) => {
    const refusals = reasons.map((reason) => refuse(reason, 'image is odd', { details: { field: 'image' } }));
    return read(photos, () => {
      const refusal = refusals.shift();
      return refusal ? Promise.reject(refusal) : Promise.resolve({ read: true });
    });
  };

  test('reads the others where one cannot be read', async () => {
    const refused = ofOnePhoto.map((refusal) => ({ refusal }));
    assert.deepEqual(await readRefused(6, ofOnePhoto), [...refused, { read: true }]);
  });

  test('is refused for no reading where one is a picture, else for what the first is refused for', async () => {
    const details = { field: 'images' };
    await assert.rejects(readRefused(5, ofOnePhoto), { reason: 'NO_READING', details });
    const odd = { reason: 'CORRUPT_IMAGE', message: 'images is odd', details };
    await assert.rejects(readRefused(2, ofOnePhoto), odd);
  });

  test('ends the work on the others with what stops one for no fault of its own', async () => {
    const full = refuse('QUEUE_FULL', 'full');
    const signals: AbortSignal[] = [];
    const all = read(2, (_, { signal }) => {
      signals.push(signal);
      return Promise.reject(full);
    });
    await assert.rejects(all, full);
    assert.equal(signals[1]?.reason, full);
  });
});
