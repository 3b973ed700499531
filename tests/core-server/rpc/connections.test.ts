import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

const main = fileURLToPath(new URL('../../../core-server/main.js', import.meta.url));

/** Starts the core in a process that may have 200 descriptors open, until the test ends. @returns its port, and what it warned of */
async function startCore(t: TestContext, environment: Record<string, string>) {
  const child = spawn('sh', ['-c', 'ulimit -n 200 && exec "$0" "$1"', process.execPath, main], {
    env: { ...process.env, CORE_PORT: '0', CORE_WORKERS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const warnings: unknown[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { level, msg, port } = JSON.parse(line) as Record<string, unknown>;
    if (level === 'warn') warnings.push(msg);
    if (msg !== 'serving') continue;
    child.stdout.resume();
    return { port: Number(port), warnings };
  }
  throw new Error('the core ended before it served');
}

test('one address gets a fifth of the descriptors, a trusted proxy more', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const environment = { CORE_DATA_DIR: dataDir, CORE_TRUSTED_PROXIES: '127.0.0.2' };
  const { port, warnings } = await startCore(t, environment);
  const place = `${dataDir}/image-analysis.sqlite3 (in CORE_DATA_DIR)`;
  assert.deepEqual(warnings, [`no API key was ever made in the configuration store ${place}`]);
  const isServed = (localAddress: string) => {
    const session = connect(`http://127.0.0.1:${port}`, {
      createConnection: () => connectTcp({ port, host: '127.0.0.1', localAddress }),
    });
    session.on('error', () => undefined); // the reset
    t.after(() => session.destroy());
    return new Promise<boolean>((resolve) => {
      session.once('remoteSettings', () => resolve(true)).once('close', () => resolve(false));
    });
  };
  for (let count = 1; count <= 40; count += 1) assert.ok(await isServed('127.0.0.1'));
  assert.equal(await isServed('127.0.0.1'), false);
  for (let count = 1; count <= 60; count += 1) assert.ok(await isServed('127.0.0.2'));
});
