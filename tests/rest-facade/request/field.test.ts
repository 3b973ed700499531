import assert from 'node:assert/strict';
import { test } from 'node:test';
import protobuf from 'protobufjs';
import { type Field, parseText } from '../../../rest-facade/request/field.js';
import { assertReason } from '../refusals.js';

const definition = new protobuf.Field('field', 1, 'string');
const field = (type: Field['type'], name = 'field'): Field => ({ name, type, words: [], isList: false, definition });

test('texts of every field type', () => {
  const table: [Field, string, unknown][] = [
    [field('string'), '', ''],
    [field('string'), ' ä€😀 ', ' ä€😀 '],
    [field('time'), '1970-01-01T00:00:01.5Z', { seconds: 1, nanos: 500_000_000 }],
    [field('time'), '1969-12-31T23:59:59.500-00:00', { seconds: -1, nanos: 500_000_000 }],
    [field('time'), '2028-02-29T01:00:00+01:00', { seconds: 1_835_395_200, nanos: 0 }],
    [field('bool'), 'true', true],
    [field('bool'), 'True', true],
    [field('bool'), '1', true],
    [field('bool'), 'FALSE', false],
    [field('bool'), '0', false],
    [field('score'), '0', 0],
    [field('score'), '1', 1],
    [field('score'), '0.123456', 0.123456],
    [field('score'), '00.50', 0.5],
    // The range is the core's to check.
    [field('score'), '1.5', 1.5],
    [field('uint32'), '0', 0],
    [field('uint32'), '4294967295', 4294967295],
  ];
  for (const [target, text, value] of table)
    assert.deepStrictEqual(parseText(target, text, 'x'), value, `${target.type} ${text}`);
});

test('texts that are no value of their type', () => {
  const numbers = ['', ' 1', '1 ', '+1', '1e0', '0x1', 'NaN', 'Infinity', '-', '1,5', '١', '1_0'];
  const table: [Field, string[]][] = [
    [field('bool'), ['', 'yes', 'on', '2', 'true ']],
    [field('uint32'), [...numbers, '-1', '-0', '1.0', '4294967296', '9'.repeat(400)]],
    [field('string'), ['\ud800', 'a\udc00b']],
    [field('bytes'), ['aGk=']],
    [field('time'), ['', '2027-01-01', '2027-01-01T00:00:00', '2027-02-29T00:00:00Z', '2027-01-01T24:00:00Z', '0']],
  ];
  for (const [target, texts] of table)
    for (const text of texts)
      assertReason(() => parseText(target, text, 'x'), 'INVALID_FIELD', `${target.type} ${JSON.stringify(text)}`);
});

test('scores have a reason of their own', () => {
  const score = field('score');
  for (const text of ['', '-0.5', '-0', '0.1234567', '1e-1', '.5', '1.', 'NaN', ' 0.5', '0,5'])
    assertReason(() => parseText(score, text), 'INVALID_SCORE', text);
});

test('a refusal names field, value and wish, and does not grow with the value', () => {
  const text = `"\n${'x'.repeat(10_000)}`;
  assert.throws(() => parseText(field('uint32', 'max_faces'), text, 'max_faces'), {
    message: `max_faces is ${JSON.stringify(`${text.slice(0, 128)}…`)}, want a whole number without a sign`,
    details: { field: 'max_faces', value: `${text.slice(0, 128)}…` },
  });
});

test('a refusal does not repeat the fields that stand in a value, with a password among them', () => {
  for (const text of ['0.8&company=acme&password=secret', '0.8;password=secret', '0.8;secret'])
    assert.throws(() => parseText(field('score', 'min_score'), text, 'detection'), {
      reason: 'INVALID_SCORE',
      message:
        'detection holds more than one value, want a number from 0 to 1 in plain decimal notation with at most 6 decimals',
      details: { field: 'detection' },
    });
});

test('a whole number that its type cannot hold says so, but not that the field takes all others', () => {
  for (const [text, wish] of [
    ['1.5', 'want a whole number without a sign'],
    ['-1', 'want a whole number without a sign'],
    ['4294967296', 'want a whole number, at most 4294967295'],
  ] as const)
    assert.throws(() => parseText(field('uint32'), text, 'max_faces'), { message: `max_faces is "${text}", ${wish}` });
});
