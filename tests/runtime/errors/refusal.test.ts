import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, quote, refuse } from '../../../runtime/errors/refusal.js';

test('a quoted text has no control character', () => {
  assert.equal(quote('\x00\x1b\x7f\x80\x9b31m\xa0"'), '"\\u0000\\u001b\\u007f\\u0080\\u009b31m\xa0\\""');
});

test('a quoted text shows what is not seen, and does not turn the rest of the sentence', () => {
  assert.equal(quote('demo\u200b'), '"demo\\u200b"');
  assert.equal(quote('\u202eomed\u2028\u2067'), '"\\u202eomed\\u2028\\u2067"');
  assert.equal(quote('\u{e0041}'), '"\\udb40\\udc41"');
  assert.equal(quote('חברה größe 木 🔑'), '"חברה größe 木 🔑"');
});

test('a text is cut between characters, and of half a character nothing is shown: strict parsers refuse it', () => {
  const long = 'x'.repeat(127);
  assert.equal(clip(`${long}😀x`), `${long}\ufffd…`);
  assert.equal(quote(`${long}😀x`), `"${long}\ufffd…"`);
  assert.equal(clip('\ud83d'), '\ufffd');
});

test('a refusal has no stack, which would be most of its cost, and errors after it have theirs', () => {
  assert.equal(refuse('INTERNAL', 'it broke').stack, 'Refusal: it broke');
  assert.match(new Error('it broke').stack ?? '', /refusal\.test/);
});
