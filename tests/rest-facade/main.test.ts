import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../rest-facade/main.js', import.meta.url));

/** Runs the process with these variables only. */
function start(t: TestContext, env: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

test(
  'the process says in one JSON line where it listens, and stops on a signal',
  { timeout: 20_000 },
  async (t) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const child = start(t, { REST_PORT: '0', REST_CORE_ADDRESS: '127.0.0.1:1' });
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      const { msg, host, port } = JSON.parse(line) as { msg: string; host: string; port: number };
      assert.deepEqual([msg, host], ['listening', '127.0.0.1']);
      assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200);
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    }
  },
);

test(
  'a mistaken configuration ends the process with every mistake',
  { timeout: 10_000 },
  async (t) => {
    const child = start(t, { REST_PORT: 'x', REST_REQUEST_TIMEOUT_MS: '0' });
    const chunks: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    assert.deepEqual(await once(child, 'close'), [1, null]);
    assert.deepEqual(Buffer.concat(chunks).toString().split('\n'), [
      'REST_PORT is "x": want a whole number from 0 to 65535',
      'REST_REQUEST_TIMEOUT_MS is "0": want a whole number from 1 to 600000',
      '',
    ]);
  },
);
