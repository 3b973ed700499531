import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { answerAll } from '../answers.js';
import { startBoth } from '../facade.js';
import { exchange, multipartRequest } from '../raw-http.js';

// Under a flood, what only a full collection frees brings them often, and all that waits stands still
// meanwhile.
test('what an upload held is garbage that young collections free', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  const { port } = await startBoth(t, answerAll);
  const uploadBytes = 200_000;
  const part = 'content-disposition: form-data; name="other"; filename="a"\n\n';
  const upload = multipartRequest('/face_detect_single', `--b\n${part}${'x'.repeat(uploadBytes)}\n--b--\n`);
  collect();
  const before = process.memoryUsage().arrayBuffers;
  const uploads = 20;
  for (let i = 0; i < uploads; i += 1) {
    const { status } = await exchange(port, upload);
    assert.equal(status, 400);
    // As often as they come under load. What outlives two is old.
    collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  const kept = process.memoryUsage().arrayBuffers - before;
  assert.ok(kept < (uploads / 4) * uploadBytes, `${kept} bytes of ${uploads} uploads were kept`);
});
