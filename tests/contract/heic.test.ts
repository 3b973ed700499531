import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import { createForm } from '../helpers/net/form.js';
import { startService } from '../helpers/service/service.js';

const heic = await readFile(new URL('../../../tests/core-server/image/heic/astronaut.heic', import.meta.url));

async function detect(t: TestContext, environment: Record<string, string> = {}) {
  const { rest, apiKey } = await startService(t, environment);
  const headers = { apikey: apiKey };
  const answer = await fetch(`${rest}/face_detect_multi`, { method: 'POST', headers, body: createForm(heic, {}) });
  return { status: answer.status, body: await answer.text() };
}

test('a phone that sends HEIC gets its faces where CORE_HEIC is set', async (t) => {
  const { status, body } = await detect(t, { CORE_HEIC: 'true' });
  assert.equal(status, 200, body);
  assert.equal((JSON.parse(body) as { result: unknown[] }).result.length, 1);
});

test('elsewhere it is told what to do', async (t) => {
  const { status, body } = await detect(t);
  assert.equal(status, 415);
  assert.match(body, /HEIC.*CORE_HEIC/);
});
