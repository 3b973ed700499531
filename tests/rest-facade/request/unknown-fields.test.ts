import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createForm } from '../../helpers/net/form.js';
import { answerAll } from '../answers.js';
import { readRefusal, startBoth, withKey } from '../facade.js';

const picture = Buffer.from('picture');
const dataUrl = `data:image/jpeg;base64,${picture.toString('base64')}`;
const form = (fields: Record<string, string>) => ({ method: 'POST', body: createForm(picture, fields) });
const json = (members: object) => ({ method: 'POST', body: JSON.stringify({ image: dataUrl, ...members }) });

/** What is asked, the name that is unknown, and the nearest known one if one is near. */
const table: [path: string, request: RequestInit, field: string, nearest?: string][] = [
  ['/face_detect_multi', form({ minscore: '0.9' }), 'minscore', 'min_score'],
  ['/face_detect_single', form({ company: 'acme', Landmarks: 'true' }), 'Landmarks', 'landmarks'],
  ['/face_detect_multi?verbose=1', form({}), 'verbose'],
  ['/meter-number-ocr/file', form({ exepcted_digits: '5' }), 'exepcted_digits', 'expected_digits'],
  ['/meter-number-ocr/base64', json({ previous_readin: '5' }), 'previous_readin', 'previous_reading'],
  ['/meter-number-ocr/base64', json({ constructor: null }), 'constructor'],
];

test('names that an operation does not know are refused, with the nearest known name if one is near', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  // Rather than that the picture is missing.
  const noPicture = { method: 'POST', body: JSON.stringify({ Image: dataUrl }) };
  const rows: typeof table = [...table, ['/meter-number-ocr/base64', noPicture, 'Image', 'image']];
  for (const [path, request, field, nearest] of rows) {
    const refusal = await readRefusal(await fetch(url + path, { ...request, headers: withKey }));
    assert.deepEqual(refusal, {
      status: 400,
      reason: 'UNKNOWN_FIELD',
      details: { field, ...(nearest && { nearest }) },
    });
  }
  assert.deepEqual(core.calls, []);
});

test('beside a password, an unknown name is not repeated: it may be the rest of the password', async (t) => {
  const { url } = await startBoth(t, answerAll);
  for (const value of ['', '=x']) {
    const path = `/face_config_score?detection&company=acme&password=correct&horse${value}`;
    const body = await (await fetch(url + path, { headers: withKey })).text();
    assert.match(body, /a field is unknown, want a known field"/);
    assert.doesNotMatch(body, /horse/);
  }
});

test('REST_LENIENT_FIELDS=true ignores them', async (t) => {
  const { url, core } = await startBoth(t, answerAll, { REST_LENIENT_FIELDS: 'true' });
  for (const [path, request] of table) {
    const answer = await fetch(url + path, { ...request, headers: withKey });
    assert.equal(answer.status, 200, `${path} ${await answer.text()}`);
  }
  assert.equal(core.calls.length, table.length);
});
