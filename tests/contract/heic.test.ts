import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createForm } from '../helpers/net/form.js';
import { startScripted } from '../helpers/service/scripted-service.js';
import { startService, type TestService } from '../helpers/service/service.js';

const heic = await readFile(new URL('../../../tests/core-server/image/heic/astronaut.heic', import.meta.url));

const post = ({ rest, apiKey }: TestService, path: string) =>
  fetch(rest + path, { method: 'POST', headers: { apikey: apiKey }, body: createForm(heic) });

test('a phone that sends HEIC gets its faces where CORE_HEIC is set, and a JPEG without them', async (t) => {
  const service = await startService(t, { CORE_HEIC: 'true' });
  const found = await post(service, '/face_detect_multi');
  assert.equal(found.status, 200);
  assert.equal(((await found.json()) as { result: unknown[] }).result.length, 1);
  const hidden = await post(service, '/v1/faces/redact');
  assert.equal(hidden.headers.get('content-type'), 'image/jpeg');
  assert.equal(hidden.headers.get('x-face-count'), '1');
});

test('elsewhere it is told what to do', async (t) => {
  const { service } = await startScripted(t);
  const refused = await post(service, '/face_detect_multi');
  assert.equal(refused.status, 415);
  assert.match(await refused.text(), /HEIC.*CORE_HEIC/);
});
