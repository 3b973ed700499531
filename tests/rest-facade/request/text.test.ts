import assert from 'node:assert/strict';
import { test } from 'node:test';
import protobuf from 'protobufjs';
import { parsePathTemplate } from '../../../rest-facade/request/create-routes.js';
import { type Field, parseText } from '../../../rest-facade/request/field.js';
import { showPath } from '../../../rest-facade/request/no-such-route.js';
import { parseQuery, toOriginForm } from '../../../rest-facade/request/parse-target.js';
import { clip, quote } from '../../../runtime/errors/refusal.js';
import { reasonOf } from '../refusals.js';

test('what a proxy puts before a target is left out', () => {
  const table: [string, string][] = [
    ['/a/b?c=d?e', '/a/b?c=d?e'],
    ['http://host:80/a?b', '/a?b'],
    ['HTTPS://host', '/'],
    ['http://host?a=b', '/?a=b'],
    ['*', '*'],
  ];
  for (const [target, own] of table) assert.equal(toOriginForm(target), own, target);
});

test('a query string is parsed in order, with bare names and every kind of encoding', () => {
  const table: [string, [string, string][]][] = [
    ['', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      '&a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'a=1&a=2',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['a+b=c+d%2B', [['a b', 'c d+']]],
    ['%C3%A9=%E2%82%AC', [['é', '€']]],
    ['=x', [['', 'x']]],
  ];
  for (const [query, pairs] of table)
    assert.deepEqual(
      parseQuery(`/a?${query}`).map(({ name, value }) => [name, value]),
      pairs,
      query,
    );
});

test('broken percent-encoding is refused, not guessed', () => {
  for (const query of ['a=%', 'a=%2', 'a=%zz', 'a=%ff', '%E2%82=a', 'a=%ED%A0%80'])
    assert.equal(
      reasonOf(() => parseQuery(`/a?${query}`)),
      'INVALID_FIELD',
      query,
    );
});

test('a path is shown without what may be a password or a key', () => {
  const key = `ia_0123456789ab_${'aB-_9'.repeat(9)}`.slice(0, 59);
  const table: [string, string][] = [
    ['/face-detect_sinGle.~1', '/face-detect_sinGle.~1'],
    ['/face_detect_single/', '/face_detect_single/'],
    ['/face_config_score/secret', '/face_config_score/…'],
    ['/v1/companies/acme/password/secret', '/v1/…'],
    ['//secret', '//…'],
    ['/face_config_score&detection&company=demo&password=secret', '/face_config_score…'],
    ['/face_config_score%3Fpassword=secret', '/face_config_score…'],
    ['/a b', '/a…'],
    [`/${key}/x`, '/ia_0123456789ab_…'],
    [`/apikey-${key.toUpperCase()}`, '/apikey-IA_0123456789AB_…'],
    [`/${'x'.repeat(32)}/`, `/${'x'.repeat(32)}/`],
    [`/${'x'.repeat(34)}`, `/${'x'.repeat(33)}…`],
    ['*', '…'],
    ['', ''],
  ];
  for (const [path, shown] of table) assert.equal(showPath(path), shown, path);
});

test('a quoted text has no control character', () => {
  assert.equal(quote('\x00\x1b\x7f\x80\x9b31m\xa0"'), '"\\u0000\\u001b\\u007f\\u0080\\u009b31m\xa0\\""');
});

test('a text is cut between characters, and of half a character nothing is shown: strict parsers refuse it', () => {
  const long = 'x'.repeat(127);
  assert.equal(clip(`${long}😀x`), `${long}\ufffd…`);
  assert.equal(quote(`${long}😀x`), `"${long}\ufffd…"`);
  assert.equal(clip('\ud83d'), '\ufffd');
});

test('path templates beyond {name} are refused', () => {
  for (const template of ['a', '/a/{b=c/*}', '/a/*', '/a/**', '/a:cancel', '/{a}{b}', '/a//b', '/'])
    assert.throws(() => parsePathTemplate(template), /want segments/, template);
});

const definition = new protobuf.Field('field', 1, 'string');
const field = (type: Field['type'], name = 'field'): Field => ({
  name,
  type,
  isList: false,
  definition,
});

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
      assert.equal(
        reasonOf(() => parseText(target, text, 'x')),
        'INVALID_FIELD',
        `${target.type} ${JSON.stringify(text)}`,
      );
});

test('scores have a reason of their own', () => {
  const score = field('score');
  for (const text of ['', '-0.5', '-0', '0.1234567', '1e-1', '.5', '1.', 'NaN', ' 0.5', '0,5'])
    assert.equal(
      reasonOf(() => parseText(score, text)),
      'INVALID_SCORE',
      text,
    );
});

test('a refusal names field, value and wish, and does not grow with the value', () => {
  const text = `"\n${'x'.repeat(10_000)}`;
  assert.throws(() => parseText(field('uint32', 'max_faces'), text, 'max_faces'), {
    message: `max_faces is ${JSON.stringify(`${text.slice(0, 128)}…`)}, want a whole number`,
    details: { field: 'max_faces', value: `${text.slice(0, 128)}…` },
  });
});

test('a whole number that its type cannot hold is told that end of the range', () => {
  for (const [text, wish] of [
    ['1.5', 'want a whole number'],
    ['-1', 'want a whole number, at least 0'],
    ['4294967296', 'want a whole number, at most 4294967295'],
  ] as const)
    assert.throws(() => parseText(field('uint32'), text, 'max_faces'), {
      message: `max_faces is "${text}", ${wish}`,
    });
});
