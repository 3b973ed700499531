import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const sample = fileURLToPath(new URL('../../samples/grpc-client.js', import.meta.url));

const run = (apiKey: string, ...args: string[]) => {
  const env = { ...process.env, APIKEY: apiKey };
  const { status, stderr } = spawnSync(process.execPath, [sample, ...args], { env });
  return { status, stderr: stderr.toString() };
};

test('the sample of gRPC says what it wants, without the key', () => {
  const usage = { status: 2, stderr: 'usage: APIKEY=… node grpc-client.js HOST:PORT PORTRAIT METER\n' };
  assert.deepEqual(run('k'), usage);
  assert.deepEqual(run('', '127.0.0.1:1', 'a.jpg', 'b.jpg'), usage);
  assert.deepEqual(run('two\nlines', '127.0.0.1:1', 'a.jpg', 'b.jpg'), usage);
  assert.deepEqual(run('k', '127.0.0.1:1', 'no-such.jpg', 'no-such.jpg'), {
    status: 1,
    stderr: "ENOENT: no such file or directory, open 'no-such.jpg'\n",
  });
});
