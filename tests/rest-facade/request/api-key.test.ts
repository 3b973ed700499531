import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyHeader } from '../../../rest-facade/protos/rpcs.js';
import { readApiKey } from '../../../rest-facade/request/api-key.js';
import { Refusal } from '../../../runtime/errors/refusal.js';

const read = (headersDistinct: Record<string, string[]>, name: KeyHeader = 'apikey'): string => {
  try {
    return readApiKey({ headersDistinct }, name);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.ok(!error.message.includes('secret'));
    return error.reason;
  }
};

test('a key has three names, which must agree', () => {
  const table: [headers: Record<string, string[]>, keyOrReason: string][] = [
    [{ apikey: ['secret'] }, 'secret'],
    [{ 'x-api-key': ['secret'] }, 'secret'],
    [{ authorization: ['Bearer secret'] }, 'secret'],
    [{ authorization: ['bEARER  secret'] }, 'secret'],
    [{ apikey: ['secret'], 'x-api-key': ['secret'], authorization: ['Bearer secret'] }, 'secret'],
    [{ apikey: [''], 'x-api-key': ['secret'] }, 'secret'],
    [{ apikey: ['secret'], authorization: ['Basic c2VjcmV0'] }, 'secret'],
    [{ authorization: ['Basic c2VjcmV0'] }, 'MISSING_API_KEY'],
    [{ authorization: ['Bearer'] }, 'MISSING_API_KEY'],
    [{ authorization: ['Bearer '] }, 'MISSING_API_KEY'],
    [{}, 'MISSING_API_KEY'],
    [{ apikey: ['secret'], 'x-api-key': ['secret2'] }, 'INVALID_FIELD'],
    [{ 'x-api-key': ['secret'], authorization: ['Bearer secret2'] }, 'INVALID_FIELD'],
    [{ apikey: ['secret'], 'x-api-key': ['secret', 'secret2'] }, 'INVALID_FIELD'],
    [{ apikey: ['secret', 'secret2'] }, 'INVALID_FIELD'],
    [{ 'x-api-key': ['secret', 'secret'] }, 'secret'],
    [{ authorization: ['Bearer secret two'] }, 'INVALID_API_KEY'],
    [{ apikey: ['secret two'] }, 'INVALID_API_KEY'],
    [{ apikey: ['secr\u00e9t'] }, 'INVALID_API_KEY'],
    [{ apikey: ['a'.repeat(256)] }, 'a'.repeat(256)],
    [{ apikey: ['a'.repeat(257)] }, 'INVALID_API_KEY'],
  ];
  for (const [headers, expected] of table) assert.equal(read(headers), expected, JSON.stringify(headers));
});

test('an administration key has a header of its own, and may have blanks and any length', () => {
  const long = 'secret key '.repeat(30).trim();
  assert.equal(read({ adminkey: [long] }, 'adminkey'), long);
  assert.equal(read({ authorization: ['Bearer secret'] }, 'adminkey'), 'secret');
  assert.equal(read({ apikey: ['secret'] }, 'adminkey'), 'MISSING_API_KEY');
  assert.equal(read({ adminkey: ['secret'] }), 'MISSING_API_KEY');
  assert.equal(read({ adminkey: ['secr\u00e9t'] }, 'adminkey'), 'INVALID_API_KEY');
});
