import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import { createForm } from '../helpers/net/form.js';
import { startService } from '../helpers/service/service.js';

const heic = await readFile(new URL('../../../tests/core-server/image/heic/astronaut.heic', import.meta.url));

async function start(t: TestContext, environment: Record<string, string> = {}) {
  const { rest, apiKey } = await startService(t, environment);
  return (path: string) =>
    fetch(rest + path, { method: 'POST', headers: { apikey: apiKey }, body: createForm(heic, {}) });
}

test('a phone that sends HEIC gets its faces where CORE_HEIC is set, and a JPEG without them', async (t) => {
  const post = await start(t, { CORE_HEIC: 'true' });
  const found = await post('/face_detect_multi');
  assert.equal(found.status, 200);
  assert.equal(((await found.json()) as { result: unknown[] }).result.length, 1);
  const hidden = await post('/v1/faces/redact');
  assert.equal(hidden.headers.get('content-type'), 'image/jpeg');
  assert.equal(hidden.headers.get('x-face-count'), '1');
});

test('elsewhere it is told what to do', async (t) => {
  const refused = await (await start(t))('/face_detect_multi');
  assert.equal(refused.status, 415);
  assert.match(await refused.text(), /HEIC.*CORE_HEIC/);
});
