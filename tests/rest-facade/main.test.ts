import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { answerAll } from './answers.js';
import { startFakeCore } from './fake-core.js';
import { openSocket, readToEnd } from './raw-http.js';

const main = fileURLToPath(new URL('../../rest-facade/main.js', import.meta.url));

/** Runs the process with these variables only. */
function start(t: TestContext, env: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function untilRefused(port: number): Promise<void> {
  for (;;) {
    try {
      (await openSocket(port)).destroy();
    } catch (error) {
      const { code } = error as { code?: string };
      // It stood in the line of a port that was closed at that moment: the next one is refused.
      if (code === 'ECONNRESET') continue;
      assert.equal(code, 'ECONNREFUSED');
      return;
    }
  }
}

test('the process says in one JSON line where it listens, and stops on a signal', { timeout: 20_000 }, async (t) => {
  const stop = async (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') => {
    const child = start(t, { REST_PORT: '0', REST_METRICS_PORT: '0', REST_CORE_ADDRESS: '127.0.0.1:1' });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { msg, host, port, metrics_port } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual([msg, host], ['serving', '127.0.0.1']);
    assert.equal((await fetch(`http://127.0.0.1:${String(port)}/livez`)).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${String(metrics_port)}/metrics`)).status, 200);
    child.kill(signal);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  };
  await Promise.all((['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map(stop));
});

test(
  'an unreachable collector of traces does not keep a stopped process until it is killed',
  { timeout: 30_000 },
  async (t) => {
    const child = start(t, {
      REST_PORT: '0',
      REST_SHUTDOWN_GRACE_MS: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { port } = JSON.parse(line) as { port: number };
    assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  },
);

test(
  'SIGTERM in an upload: it is answered, new connections are refused, and the process ends well',
  { timeout: 60_000 },
  async (t) => {
    const core = await startFakeCore(t, answerAll);
    const child = start(t, { REST_PORT: '0', REST_CORE_ADDRESS: `127.0.0.1:${core.port}` });
    const lines = createInterface(child.stdout);
    const [line] = (await once(lines, 'line')) as [string];
    const { port } = JSON.parse(line) as { port: number };
    while (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    const body = Buffer.from(
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\npicture\r\n--b--\r\n',
    );
    const upload = await openSocket(port);
    const answer = readToEnd(upload);
    upload.write(
      'POST /face_detect_single HTTP/1.1\r\nhost: x\r\napikey: k\r\nexpect: 100-continue\r\n' +
        `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    // The body is asked for: the request is under way.
    await once(upload, 'data');
    upload.write(body.subarray(0, 20));
    child.kill('SIGTERM');
    while ((JSON.parse(String(await once(lines, 'line'))) as { msg: string }).msg !== 'stopping');
    await untilRefused(port);
    // npm hands on what the whole process group gets.
    child.kill('SIGTERM');
    assert.equal(child.exitCode, null);
    upload.write(body.subarray(20));
    assert.match((await answer).text, /HTTP\/1\.1 200 OK\r\n/);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  },
);

test('one address gets a fifth of the descriptors, a trusted proxy more', async (t) => {
  const limited = ['-c', 'ulimit -n 200 && exec "$0" "$1"', process.execPath, main];
  const env = { REST_PORT: '0', REST_CORE_ADDRESS: '127.0.0.1:1', REST_TRUSTED_PROXIES: '127.0.0.2' };
  const child = spawn('sh', limited, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const { port } = JSON.parse(String(await once(lines, 'line'))) as { port: number };
  const isServed = async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {}); // the reset
    t.after(() => socket.destroy());
    socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
    return new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    });
  };
  for (let count = 1; count <= 40; count += 1) assert.ok(await isServed('127.0.0.1'));
  assert.equal(await isServed('127.0.0.1'), false);
  for (let count = 1; count <= 60; count += 1) assert.ok(await isServed('127.0.0.2'));
});

test('a mistaken configuration ends the process with every mistake', { timeout: 10_000 }, async (t) => {
  const child = start(t, { REST_PORT: 'x', REST_REQUEST_TIMEOUT_MS: '0' });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  assert.deepEqual(await once(child, 'close'), [2, null]);
  assert.deepEqual(Buffer.concat(chunks).toString().split('\n'), [
    'REST_PORT is "x": want a whole number from 0 to 65535',
    'REST_REQUEST_TIMEOUT_MS is "0": want a whole number from 1 to 600000',
    '',
  ]);
});
