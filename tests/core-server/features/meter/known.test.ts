import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { chooseReadings } from '../../../../core-server/features/meter/decide/choose-reading.js';
import { decideReading } from '../../../../core-server/features/meter/decide/decide-reading.js';
import { type Decimal, decimalOf, parseDecimal, truncated } from '../../../../core-server/features/meter/decimal.js';
import {
  agreementOf,
  type Contradiction,
  contradictionsOf,
  type KnownMeter,
} from '../../../../core-server/features/meter/known-meter.js';
import { loadMeterModel } from '../../../../core-server/features/meter/meter-model.js';
import type { Hypothesis, Marks } from '../../../../core-server/features/meter/read/hypothesis.js';
import { validateKnownMeter } from '../../../../core-server/features/meter/validate.js';
import { loadManifest } from '../../../../core-server/inference/models/manifest.js';
import type { ReadMeterRequest } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { box } from './fixtures.js';
import { type Peak, strip } from './reference.js';

const manifestUrl = new URL('../../../../../models/manifest.json', import.meta.url);
const { rules } = await loadMeterModel(await loadManifest(manifestUrl), manifestUrl);

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  assert.ok(value !== undefined, text);
  return value;
}

suite('decimals', () => {
  test('are as exact as they are written', () => {
    assert.equal(decimal('00123.4560'), decimalOf('1234560', 4));
    assert.equal(decimal('123456789012.123456'), decimalOf('123456789012123456', 6));
    assert.equal(decimal('0.1'), decimal('0.10'));
    assert.ok(decimal('900719925474.099301') < decimal('900719925474.099302'));
    assert.equal(decimal('0.1') + decimal('0.2'), decimal('0.3'));
    assert.equal(truncated(decimal('12.999'), 1), decimalOf('129', 1));
    assert.ok(decimalOf('9'.repeat(56), 55) < decimal('10'));
    assert.deepEqual(truncated(decimal('12'), 1), decimal('12'));
  });
  for (const text of ['', '.5', '5.', '-1', '+1', '1e3', '1,5', ' 1', '0x1', '٣', '1234567890123', '1.1234567']) {
    test(`${JSON.stringify(text)} is none`, () => assert.equal(parseDecimal(text), undefined));
  }
});

suite('validateKnownMeter', () => {
  const nothing = {
    digits: undefined,
    decimals: undefined,
    unit: undefined,
    previous: undefined,
    maxIncrease: undefined,
  };
  const accepted: [Partial<ReadMeterRequest>, KnownMeter][] = [
    [{}, {}],
    [{ previousReading: '', maxIncrease: '' }, {}],
    [{ expectedDigits: 3 }, { digits: 3 }],
    [{ expectedDigits: 12 }, { digits: 12 }],
    [{ expectedDecimals: 0 }, { decimals: 0 }],
    [{ expectedDecimals: 6 }, { decimals: 6 }],
    [{ expectedUnit: 'GJ' }, { unit: 'GJ' }],
    [
      { expectedDigits: 4, expectedDecimals: 3 },
      { digits: 4, decimals: 3 },
    ],
    [{ previousReading: '123456789012.123456' }, { previous: decimalOf('123456789012123456', 6) }],
    [
      { previousReading: '00.50', maxIncrease: '0' },
      { previous: decimalOf('5', 1), maxIncrease: 0n },
    ],
  ];
  for (const [request, known] of accepted) {
    test(`takes ${JSON.stringify(request)}`, () =>
      assert.deepEqual(validateKnownMeter(request), { ...nothing, ...known }));
  }
  const refused: [Partial<ReadMeterRequest>, string, string][] = [
    [{ expectedDigits: 2 }, 'INVALID_FIELD', 'expected_digits is 2, want a whole number from 3 to 12'],
    [{ expectedDigits: 13 }, 'INVALID_FIELD', 'expected_digits is 13, want a whole number from 3 to 12'],
    [{ expectedDecimals: 7 }, 'INVALID_FIELD', 'expected_decimals is 7, want a whole number from 0 to 6'],
    [
      { expectedDigits: 4, expectedDecimals: 4 },
      'INVALID_FIELD',
      'expected_decimals is 4, want a whole number from 0 to 3',
    ],
    [
      { previousReading: '1234567890123' },
      'INVALID_FIELD',
      'previous_reading is "1234567890123", want a plain decimal of at most 12 digits and 6 decimals',
    ],
    [
      { previousReading: '1', maxIncrease: '0.1234567' },
      'INVALID_FIELD',
      'max_increase is "0.1234567", want a plain decimal of at most 12 digits and 6 decimals',
    ],
    [{ expectedUnit: 'l' }, 'INVALID_FIELD', 'expected_unit is "l", want m3, kWh, gal, ft3 or GJ'],
    [{ maxIncrease: '1' }, 'MISSING_FIELD', 'previous_reading is missing, want it together with max_increase'],
  ];
  for (const [request, reason, message] of refused) {
    test(`refuses ${JSON.stringify(request)}`, () =>
      assert.throws(() => validateKnownMeter(request), { reason, message }));
  }
});

suite('contradictionsOf', () => {
  const known = (previous: string, maxIncrease?: string, rest: KnownMeter = {}): KnownMeter => ({
    ...rest,
    previous: decimal(previous),
    ...(maxIncrease !== undefined && { maxIncrease: decimal(maxIncrease) }),
  });
  const table: [string, number | undefined, KnownMeter, Contradiction[]][] = [
    ['00123456', 3, {}, []],
    ['00123456', 3, { digits: 8 }, []],
    ['00123456', 3, { digits: 5 }, ['digits']],
    ['73286', 2, { decimals: 4 }, []],
    ['73286', 2, { decimals: 5 }, ['digits']],
    ['73286', undefined, { decimals: 6 }, ['digits']],
    ['73286', 2, { digits: 8, decimals: 5 }, ['digits']],
    ['00123456', 3, known('123.456'), []],
    ['00123456', 3, known('123.457'), ['below']],
    ['00123456', 3, known('123.4569'), []],
    ['00123', 0, known('123.999'), []],
    ['00123456', 3, known('120', '3.456'), []],
    ['00123456', 3, known('120', '3.455'), ['jump']],
    ['00123456', 3, known('123456'), ['below']],
    ['00123456', undefined, known('123456'), []],
    ['00123456', undefined, known('123457'), ['below']],
    ['00123456', undefined, known('0.01', '0.002'), ['jump']],
    ['00123456', undefined, known('200', '1'), ['jump']], // with three decimals or more, it is below
    ['00123456', undefined, known('123', '1'), []],
    ['00003', 0, known('99998', '5'), []],
    ['00003', 0, known('99998', '4'), ['below']],
    ['00003', 0, known('99998'), ['below']],
    ['00124', 0, known('123.9', '0.5'), []],
    ['00003', 0, known('199998', '100000'), ['below']], // it has no sixth wheel that turned over
    ['00003', 0, known('99998', undefined, { digits: 8 }), ['digits', 'below']],
    ['999999999999', 0, known('999999999998', '1'), []],
  ];
  for (const [text, fractionWheels, meter, found] of table) {
    const shown = JSON.stringify(meter, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    test(`${text} with ${fractionWheels} red, known ${shown}: ${found.join() || 'none'}`, () => {
      const read = { text, fractionWheels, isFractionSure: fractionWheels !== undefined };
      assert.deepEqual(contradictionsOf(read, meter), found);
    });
  }
  test('where no point agrees, the likely one says what is wrong', () => {
    const read = { text: '00123456', fractionWheels: 3, isFractionSure: false };
    assert.deepEqual(contradictionsOf(read, known('200', '1')), ['below']);
    assert.deepEqual(contradictionsOf(read, known('1234.5', '1')), []);
  });
  test('each makes a reading less likely', () => {
    const read = { text: '00003', fractionWheels: 0 };
    const none = agreementOf(read, {});
    const one = agreementOf(read, { digits: 8 });
    const two = agreementOf(read, known('99998', undefined, { digits: 8 }));
    assert.equal(none, 1);
    assert.ok(one < none && two < one && two > 0);
  });
  test('that the counter turned over makes a reading as much less likely, and is none', () => {
    const read = { text: '00003', fractionWheels: 0 };
    assert.equal(agreementOf(read, known('99998', '5')), agreementOf(read, known('99998', '4')));
    // 0.016 m3 on a meter that turns over at 100 m3, where the last reading was 18 m3: most likely 16 m3.
    const seen = { text: '00016', fractionWheels: 3 };
    assert.equal(
      agreementOf(seen, known('18', '100')),
      agreementOf({ ...seen, fractionWheels: 0 }, known('18', '100')),
    );
  });
});

suite('chooseReadings', () => {
  /** A place with readings, seen on no strip: colours are unknown, five wheels have no fraction. */
  const place = (readings: Record<string, number>, weight = 0): Hypothesis => ({
    quad: box(0, 0, 100, 20),
    located: 1,
    counter: 1,
    agrees: 1,
    strips: [{ legible: 1, data: new Float32Array(56 * 21), steps: 56 }],
    legible: 1,
    readings: new Map(Object.entries(readings)),
    weight,
  });
  const chosen = (hypotheses: Hypothesis[], known: KnownMeter) =>
    chooseReadings(hypotheses, rules, known).map(({ text }) => text);
  const decimals = 0;

  const table: [string, Record<string, number>, KnownMeter, string][] = [
    ['the likeliest where nothing is known', { '00417': 0.5, '00418': 0.4 }, {}, '00417'],
    ['of the known length', { '004170': 0.6, '00417': 0.2 }, { digits: 5 }, '00417'],
    ['not what was hardly seen, known or not', { '004170': 0.9, '00417': 0.001 }, { digits: 5 }, '004170'],
    [
      'not below the previous reading',
      { '00399': 0.5, '00400': 0.4 },
      { decimals, previous: decimal('399.5') },
      '00399', // cut to what the counter shows, 399 is not below 399.5
    ],
    ['above the previous reading', { '00399': 0.5, '00400': 0.4 }, { decimals, previous: decimal('400') }, '00400'],
    [
      'within the largest increase',
      { '90400': 0.6, '00400': 0.3 },
      { decimals, previous: decimal('390'), maxIncrease: decimal('20') },
      '00400',
    ],
    [
      'the likeliest where all contradict',
      { '00399': 0.5, '00400': 0.4 },
      { decimals, previous: decimal('99000') },
      '00399',
    ],
    ['never a digit that was not proposed', { '00399': 0.5 }, { digits: 8 }, '00399'],
  ];
  for (const [name, readings, known, text] of table) {
    test(name, () => assert.deepEqual(chosen([place(readings)], known), [text]));
  }
  test('not below the previous reading wherever the point is, which nothing shows', () => {
    const marks = { fraction: [0.2, 0.2, 0.2, 0.2, 0.2], untold: 0, wheels: [1, 1, 1, 1, 1], digits: [] };
    const unsure = { ...place({ '02740': 0.5, '02749': 0.2 }), marks };
    assert.deepEqual(chosen([unsure], { previous: decimal('2744'), maxIncrease: decimal('10') }), ['02749']);
  });
  suite('where each wheel was looked at', () => {
    const marksOf = (text: string): Marks => ({
      fraction: [1, 0, 0, 0, 0],
      untold: 0,
      wheels: Array.from(text, () => 1),
      digits: Array.from(text, (shown) => Array.from('0123456789', (digit) => (digit === shown ? 0.99 : 0.001))),
    });
    test('goes by what it shows', () => {
      const readings = { '00417': 0.5, '00418': 0.4 };
      assert.deepEqual(chosen([{ ...place(readings), marks: marksOf('00418') }], {}), ['00418']);
    });
    test('is not outweighed by what is known where it was decided before', () => {
      const seen = { ...place({ '00417': 0.5, '00418': 0.4 }), marks: marksOf('00418') };
      const [choice] = chooseReadings([seen], rules, { decimals: 0, previous: decimal('418') });
      assert.deepEqual([choice?.text, choice?.outweighed], ['00418', undefined]);
    });
    test('takes no reading of more or fewer wheels', () => {
      for (const other of ['004170', '0041']) {
        const readings = { [other]: 0.6, '00417': 0.3 };
        assert.deepEqual(chosen([{ ...place(readings), marks: marksOf('00417') }], {}), ['00417'], other);
      }
    });
    test('is less sure where there is room for another between two', () => {
      const sureAt = (steps: number[]) => {
        const peaks = steps.map((step, at): Peak => [step, 1 + Number('00417'[at]), 0.99]);
        const strips = [{ legible: 1, ...strip(peaks) }];
        const seen = { ...place({ '00417': 0.99 }), strips, marks: marksOf('00417') };
        return decideReading([seen], rules)?.digitsConfidence ?? NaN;
      };
      assert.ok(sureAt([5, 14, 23, 32, 41]) > 0.9);
      assert.ok(sureAt([5, 14, 23, 41, 50]) < 0.5);
    });
  });
  test('prefers the counter that has the known number of wheels', () => {
    const water = place({ '00123456': 0.8 }, 0);
    const other = place({ '04711': 0.8 }, 0.5);
    assert.deepEqual(chosen([water, other], {}), ['04711', '00123456']);
    assert.deepEqual(chosen([water, other], { digits: 8 }), ['00123456', '04711']);
  });
  test('goes by the weights of places, not by how sure one is of its reading, where nothing is known', () => {
    const places = [place({ '00123456': 0.9 }, 0), place({ '04711': 0.2 }, 0.1)];
    assert.deepEqual(chosen(places, {}), ['04711', '00123456']);
  });
  suite('fuse', () => {
    const confidenceOf = (readings: Record<string, number>, known: KnownMeter = {}) =>
      decideReading([place(readings)], rules, { decimals, ...known })?.digitsConfidence ?? NaN;
    test('is less sure of a reading than of the likelier one that what is known outweighed', () => {
      const readings = { '00016': 0.6, '000176': 0.12 };
      assert.ok(confidenceOf(readings) > 0.9);
      assert.ok(confidenceOf(readings, { previous: decimal('26') }) < 0.2);
    });
    test('is less sure of the same number with a wheel more', () => {
      assert.ok(confidenceOf({ '00016': 0.6, '000016': 0.12 }, { digits: 6 }) < 0.2);
    });
    test('is less sure of a reading whose fraction is longer than the likelier one', () => {
      assert.ok(confidenceOf({ '1234': 0.6, '12345678': 0.12 }, { digits: 8, decimals: 5 }) < 0.2);
    });
    test('is no surer of a reading for what is known', () => {
      const known = { decimals: 1, previous: decimal('42') };
      const alone = { '00421': 0.3, '00422': 0.3 };
      assert.equal(confidenceOf({ '00399': 0.4, ...alone }, known), confidenceOf(alone, known));
    });
    test('is as sure of the next number, which a wheel between two shows as well', () => {
      const readings = { '00699': 0.6, '00700': 0.3 };
      assert.ok(confidenceOf(readings) > 0.9);
      assert.ok(confidenceOf(readings, { previous: decimal('700') }) > 0.9);
    });
    test('is less sure of the next number where the photo hardly shows it', () => {
      assert.ok(confidenceOf({ '00699': 0.9, '00700': 0.09 }, { previous: decimal('700') }) < 0.2);
    });
  });
  test('a fraction that leaves no wheel before it is not believed', () => {
    assert.notEqual(decideReading([place({ '00417': 0.9 })], rules, { decimals: 5 })?.fractionWheels, 5);
  });
  test('is as sure of digits before a point that is not set as of all', () => {
    // The last three wheels are red.
    const peaks = [...'00123456'].map((digit, at): Peak => [5 + 6 * at, (at < 5 ? 1 : 11) + Number(digit), 0.99]);
    const strips = [{ legible: 1, ...strip(peaks) }];
    const seen = [{ ...place({ '00123456': 0.3, '00123459': 0.3 }), strips }];
    const unset = decideReading(seen, { ...rules, fractionLikely: 1 });
    assert.equal(unset?.fractionWheels, undefined);
    assert.equal(unset?.digitsConfidence, decideReading(seen, rules, { decimals: 0 })?.digitsConfidence);
  });
  test('leaves out places without a reading', () => {
    assert.deepEqual(chosen([place({})], {}), []);
  });
});
