import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertYoungGarbage } from '../../helpers/garbage.js';
import { answerAll } from '../answers.js';
import { startBoth } from '../facade.js';
import { exchange, multipartRequest } from '../raw-http.js';

test('what an upload held is garbage that young collections free', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const uploadBytes = 200_000;
  const part = 'content-disposition: form-data; name="other"; filename="a"\n\n';
  const upload = multipartRequest('/face_detect_single', `--b\n${part}${'x'.repeat(uploadBytes)}\n--b--\n`);
  await assertYoungGarbage(async () => {
    assert.equal((await exchange(port, upload)).status, 400);
  }, uploadBytes);
});
