import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuse } from '../../../runtime/errors/refusal.js';
import { assertYoungGarbage } from '../../helpers/garbage.js';
import { createForm } from '../../helpers/net/form.js';
import { answerAll } from '../answers.js';
import { startBoth, withKey } from '../facade.js';
import { exchange, multipartRequest } from '../raw-http.js';
import { limits, serveApp } from '../serve-app.js';

test('what an upload held is garbage that young collections free', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const uploadBytes = 200_000;
  const part = 'content-disposition: form-data; name="other"; filename="a"\n\n';
  const upload = multipartRequest('/face_detect_single', `--b\n${part}${'x'.repeat(uploadBytes)}\n--b--\n`);
  await assertYoungGarbage(async () => {
    assert.equal((await exchange(port, upload)).status, 400);
  }, uploadBytes);
});

test('a picture is freed once the core has answered', async (t) => {
  const asked: Record<string, Uint8Array | Uint8Array[]>[] = [];
  const call = (_rpc: unknown, message: object) => {
    asked.push(message as (typeof asked)[number]);
    return Promise.reject(refuse('NO_READING', 'there is none'));
  };
  const roomy = { ...limits, maxImageBytes: 400_000, maxBodyBytes: 500_000 };
  const url = `http://127.0.0.1:${await serveApp(t, { core: { call }, limits: roomy })}`;
  // Smaller ones are left to the garbage collector.
  const picture = Buffer.alloc(300_000);
  for (const [path, body] of [
    ['/meter-number-ocr/file', createForm(picture)],
    ['/meter-number-ocr/base64', JSON.stringify({ image: `data:image/png;base64,${picture.toString('base64')}` })],
    ['/v1/meters/fuse', createForm(picture)],
  ] as const)
    await fetch(url + path, { method: 'POST', headers: withKey, body });
  const lengths = asked.flatMap(({ image, images }) => [image ?? images ?? []].flat().map(({ length }) => length));
  assert.deepEqual(lengths, [0, 0, 0]);
});
