import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonObject } from '../../../../rest-facade/request/body/parse-json-object.js';
import { assertReason } from '../../refusals.js';

test('JSON beyond ASCII is what its sender wrote, a byte order mark before it or not', () => {
  for (const text of ['', 'a', 'é', '€', '😀', '\ufeff', '\uffff', '\0'.repeat(3), 'é€😀a'.repeat(100_000)])
    for (const mark of ['', '\ufeff'])
      assert.deepEqual(parseJsonObject(Buffer.from(`${mark}${JSON.stringify({ text })}`)), { text });
});

test('bytes that are not UTF-8 are refused, and what is not JSON in it', () => {
  const brokenUtf8 = [[0x80], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]];
  for (const bytes of brokenUtf8) {
    const body = Buffer.from([...Buffer.from('{"é":"'), ...bytes, ...Buffer.from('"}')]);
    assert.throws(() => parseJsonObject(body), { message: 'body is not UTF-8, want a JSON object in UTF-8' });
  }
  for (const text of ['', '\ufeff', '\ufeff\ufeff{}', 'é', '{}\ufeff'])
    assertReason(() => parseJsonObject(Buffer.from(text)), 'MALFORMED_JSON', text);
});

test('of a large body, nothing is kept but what was in it', () => {
  for (const letter of ['a', 'é']) {
    const bytes = Buffer.from(JSON.stringify({ text: letter.repeat(500_000) }));
    const { length } = bytes;
    const before = process.memoryUsage().external;
    parseJsonObject(bytes);
    const freed = before - process.memoryUsage().external;
    assert.ok(freed > length / 2, `${freed} of ${length} bytes are freed`);
  }
});
