import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseProtocol } from '../../../rest-facade/web-rpc/choose-protocol.js';
import { assertReason } from '../refusals.js';

test('a content type, in any case, with parameters and blanks', () => {
  const table: [given: string, contentType: string][] = [
    ['application/json', 'application/json'],
    ['Application/PROTO', 'application/proto'],
    ['application/json; charset=utf-8', 'application/json'],
    ['application/json \t;;', 'application/json'],
    ['application/grpc-web', 'application/grpc-web+proto'],
    ['application/grpc-web;x', 'application/grpc-web+proto'],
  ];
  for (const [given, contentType] of table) assert.equal(chooseProtocol(given).contentType, contentType, given);
});

test('a content type that is none of them', () => {
  // A search for a blank before a semicolon, begun again at each of a million, would take a quarter of an hour.
  const blanks = ' '.repeat(1_000_000);
  for (const given of [
    undefined,
    '',
    ';',
    'json',
    'application/jsonx',
    'x application/json',
    `a${blanks}b`,
    `${blanks};`,
  ])
    assertReason(() => chooseProtocol(given), 'UNSUPPORTED_CONTENT_TYPE', given?.slice(0, 20) ?? 'none');
});
