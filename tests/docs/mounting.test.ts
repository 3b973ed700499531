import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHttpServer } from 'image-analysis/http-server';
import { createOwnServer } from '../../samples/mounted-router.js';
import { answerAll } from '../rest-facade/answers.js';
import { startFakeCore } from '../rest-facade/fake-core.js';

test('the sample answers below its path, behind its own middleware', async (t) => {
  const core = await startFakeCore(t, answerAll);
  const app = createOwnServer(`127.0.0.1:${core.port}`, 'secret', 'key-of-the-house');
  const server = await startHttpServer(app, { host: '127.0.0.1', port: 0 });
  t.after(() => server.close(0));
  const url = `http://127.0.0.1:${server.port}`;
  const headers = { 'x-house-token': 'secret', 'x-forwarded-for': '203.0.113.7' };
  const body = JSON.stringify({ image: 'data:image/png;base64,YQ==' });
  const read = await fetch(`${url}/images/meter-number-ocr/base64`, { method: 'POST', headers, body });
  const { meter_number: number } = (await read.json()) as { meter_number: string };
  assert.deepEqual([read.status, number], [200, '00123456']);
  const metadata = core.calls[0]?.metadata;
  assert.deepEqual(metadata?.get('apikey'), ['key-of-the-house']);
  assert.deepEqual(metadata?.get('x-forwarded-for'), ['203.0.113.7']);
  assert.equal((await fetch(`${url}/images/livez`, { headers })).status, 404);
  assert.equal((await fetch(`${url}/images/meter-number-ocr/base64`, { method: 'POST' })).status, 401);
  assert.equal(await (await fetch(url)).text(), 'my own page');
});
