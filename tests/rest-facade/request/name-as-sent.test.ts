import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { createForm } from '../../helpers/net/form.js';
import { type ErrorBody, startBoth, withKey } from '../facade.js';
import { CoreRefusal } from '../fake-core.js';

// What the core says of a field of its message is said of the name that the caller used for it.

const picture = createForm(Buffer.from('picture'));
const dataUrl = JSON.stringify({ image: 'data:image/png;base64,YQ==' });
const score = '/v1/companies/acme/detection-score';
const cases: [request: string, init: RequestInit, field: string, sent: string][] = [
  ['/face_detect_single', { method: 'POST', body: picture }, 'image', 'file'],
  ['/face_detect_single', { method: 'POST', body: picture }, 'min_score', 'min_score'],
  ['/meter-number-ocr/base64', { method: 'POST', body: dataUrl }, 'image', 'image'],
  ['/face_config_score?detection=0.5', {}, 'detection_score', 'detection'],
  ['/face_config_score?detection=0.5', {}, 'password', 'password'],
  [score, {}, 'password', 'x-company-password'],
  [score, { method: 'PUT', body: '{"detection_score": 0.5}' }, 'detection_score', 'detection_score'],
];

for (const [request, init, field, sent] of cases) {
  const [path] = request.split('?');
  test(`${init.method ?? 'GET'} ${path} calls ${field} "${sent}"`, async (t) => {
    const { url } = await startBoth(t, () => {
      throw new CoreRefusal(status.INVALID_ARGUMENT, 'INVALID_FIELD', `${field} is odd, want ${field}`, {
        field,
        value: field,
      });
    });
    const answer = await fetch(url + request, { ...init, headers: withKey });
    const { code, reason, message, details } = (await answer.json()) as ErrorBody;
    assert.deepEqual([answer.status, code, reason], [400, 'INVALID_ARGUMENT', 'INVALID_FIELD']);
    assert.equal(message, `${sent} is odd, want ${field}`);
    assert.deepEqual(details, { field: sent, value: field });
  });
}

test('a sentence that does not begin with the field stays as it is', async (t) => {
  const { url } = await startBoth(t, () => {
    throw new CoreRefusal(status.INVALID_ARGUMENT, 'EMPTY_IMAGE', 'the image has no bytes', { field: 'image' });
  });
  const answer = await fetch(`${url}/face_detect_single`, { method: 'POST', headers: withKey, body: picture });
  const { message, details } = (await answer.json()) as ErrorBody;
  assert.deepEqual([message, details], ['the image has no bytes', { field: 'file' }]);
});

test('a refusal that names no field is passed on as it is', async (t) => {
  const { url } = await startBoth(t, () => {
    throw new CoreRefusal(status.RESOURCE_EXHAUSTED, 'QUEUE_FULL', 'image is queued', {}, 3);
  });
  const answer = await fetch(`${url}/face_detect_single`, { method: 'POST', headers: withKey, body: picture });
  assert.equal(answer.headers.get('retry-after'), '3');
  assert.equal(((await answer.json()) as ErrorBody).message, 'image is queued');
});
