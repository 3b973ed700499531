import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonObject } from '../../../../rest-facade/request/body/parse-json-object.js';

const notJson = (what: string) => ({ reason: 'MALFORMED_JSON', message: `body ${what}, want a JSON object` });

test('JSON beyond ASCII is what its sender wrote, a byte order mark before it or not', () => {
  for (const text of ['', 'a', 'é', '€', '😀', '\ufeff', '\uffff', '\0'.repeat(3), 'é€😀a'.repeat(100_000)])
    for (const mark of ['', '\ufeff'])
      assert.deepEqual(parseJsonObject(Buffer.from(`${mark}${JSON.stringify({ text })}`)), { text });
});

test('bytes that are not UTF-8 are refused, and what is no JSON object in it', () => {
  const brokenUtf8 = [[0x80], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]];
  for (const bytes of brokenUtf8) {
    const body = Buffer.from([...Buffer.from('{"é":"'), ...bytes, ...Buffer.from('"}')]);
    assert.throws(() => parseJsonObject(body), { message: 'body is not UTF-8, want a JSON object in UTF-8' });
  }
  for (const text of ['', '{', 'image=data:image/png;base64,YQ==', '\ufeff', '\ufeff\ufeff{}', 'é', '{}\ufeff'])
    assert.throws(() => parseJsonObject(Buffer.from(text)), notJson('is not JSON'), text);
  for (const [text, what] of [
    ['[]', 'an array'],
    ['"{}"', 'a string'],
    ['null', 'null'],
    ['1e999', 'too large a number'],
  ] as const)
    assert.throws(() => parseJsonObject(Buffer.from(text)), notJson(`is ${what}`), text);
});

test('more than 10,000 values are refused before they are parsed: millions would take seconds and a gigabyte', () => {
  const parse = (json: string) => parseJsonObject(Buffer.from(json));
  // As many marks before values: of the object, its member and the array, and between those of the array.
  const list = (marks: number) => `{"image":[${'0,'.repeat(marks - 3)}0]}`;
  assert.equal((parse(list(10_000))['image'] as unknown[]).length, 9_998);
  const count = 2_000_000;
  for (const json of [
    list(10_001),
    `{"image":${'['.repeat(count)}${']'.repeat(count)}}`,
    `{"image":[${'{},'.repeat(count)}{}]}`,
    `{${Array.from({ length: count / 4 }, (_, index) => `"${index}":1`).join(',')}}`,
  ])
    assert.throws(() => parse(json), { message: 'body has more than 10000 values, want a JSON object with fewer' });
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
