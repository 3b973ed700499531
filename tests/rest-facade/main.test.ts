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

/** What its first line says. */
interface Serving {
  readonly msg: string;
  readonly host: string;
  readonly port: number;
  readonly metrics_port?: number;
}

/** Runs the process with these variables only, until it serves. */
async function start(t: TestContext, env: Record<string, string>, command = [process.execPath, main]) {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  return { child, lines, serving: JSON.parse(line) as Serving };
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
    const env = { REST_PORT: '0', REST_METRICS_PORT: '0', REST_CORE_ADDRESS: '127.0.0.1:1' };
    const { child, serving } = await start(t, env);
    assert.deepEqual([serving.msg, serving.host], ['serving', '127.0.0.1']);
    assert.equal((await fetch(`http://127.0.0.1:${serving.port}/livez`)).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${serving.metrics_port}/metrics`)).status, 200);
    child.kill(signal);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  };
  await Promise.all((['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map(stop));
});

test(
  'an unreachable collector of traces does not keep a stopped process until it is killed',
  { timeout: 30_000 },
  async (t) => {
    const { child, serving } = await start(t, {
      REST_PORT: '0',
      REST_SHUTDOWN_GRACE_MS: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    });
    assert.equal((await fetch(`http://127.0.0.1:${serving.port}/livez`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  },
);

test(
  'SIGTERM in an upload: it is answered, new connections are refused, and the process ends well',
  { timeout: 60_000 },
  async (t) => {
    const core = await startFakeCore(t, answerAll);
    const env = { REST_PORT: '0', REST_CORE_ADDRESS: `127.0.0.1:${core.port}` };
    const { child, lines, serving } = await start(t, env);
    const { port } = serving;
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
  const limited = ['sh', '-c', 'ulimit -n 200 && exec "$0" "$1"', process.execPath, main];
  const env = { REST_PORT: '0', REST_CORE_ADDRESS: '127.0.0.1:1', REST_TRUSTED_PROXIES: '127.0.0.2' };
  const { port } = (await start(t, env, limited)).serving;
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
