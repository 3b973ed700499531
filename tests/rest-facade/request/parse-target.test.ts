import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery, toOriginForm } from '../../../rest-facade/request/parse-target.js';
import { assertReason } from '../refusals.js';

test('what a proxy puts before a target is left out', () => {
  const table: [string, string][] = [
    ['/a/b?c=d?e', '/a/b?c=d?e'],
    ['http://host:80/a?b', '/a?b'],
    ['HTTPS://host', '/'],
    ['http://host?a=b', '/?a=b'],
    ['foo://h:bad/a?b', '/a?b'],
    ['foo://[::1/a', '/a'],
    ['foo://h#a', '/'],
    ['*', '*'],
  ];
  for (const [target, own] of table) assert.equal(toOriginForm(target), own, target);
});

test('a query string is parsed in order, with bare names and every kind of encoding', () => {
  const table: [string, string[]][] = [
    ['', []],
    ['a', ['a', '']],
    ['a=', ['a', '']],
    ['a=b=c', ['a', 'b=c']],
    ['&a=1&&b=2&', ['a', '1', 'b', '2']],
    ['a=1&a=2', ['a', '1', 'a', '2']],
    ['a+b=c+d%2B', ['a b', 'c d+']],
    ['%C3%A9=%E2%82%AC', ['é', '€']],
    ['=x', ['', 'x']],
  ];
  for (const [query, expected] of table) {
    const parsed = parseQuery(`/a?${query}`).flatMap(({ name, value }) => [name, value]);
    assert.deepEqual(parsed, expected, query);
  }
});

test('broken percent-encoding is refused, not guessed', () => {
  for (const query of ['a=%', 'a=%2', 'a=%zz', 'a=%ff', '%E2%82=a', 'a=%ED%A0%80'])
    assertReason(() => parseQuery(`/a?${query}`), 'INVALID_FIELD', query);
});
