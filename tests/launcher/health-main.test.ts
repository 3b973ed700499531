import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { HealthImplementation, type ServingStatus } from 'grpc-health-check';
import { createAuthority } from '../helpers/net/certificates.js';
import { bindServer } from '../helpers/net/grpc.js';
import { listen } from '../helpers/net/listen.js';

const main = fileURLToPath(new URL('../../launcher/health-main.js', import.meta.url));

async function run(name: string, settings: Record<string, string>) {
  const child = spawn(process.execPath, [main, name], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

/** Whether the check says that the process with these settings serves. */
async function isHealthy(name: string, settings: Record<string, string>): Promise<boolean> {
  const { code, stderr } = await run(name, settings);
  assert.equal(stderr, '');
  return code === 0;
}

test('a process that there is not, or a wrong setting, is answered in one line', async () => {
  for (const name of ['rest', 'toString'])
    assert.deepEqual(await run(name, {}), { code: 2, stderr: `the process is "${name}", want core or facade\n` });
  const { code, stderr } = await run('core', { CORE_PORT: 'x' });
  assert.equal(code, 2);
  assert.match(stderr, /^[^\n]*CORE_PORT is "x"[^\n]*\n$/);
});

async function startCore(t: TestContext, credentials: ServerCredentials, status: ServingStatus) {
  const server = new Server();
  new HealthImplementation({ '': status }).addToServer(server);
  const port = await bindServer(t, server, { address: '127.0.0.2:0', credentials });
  return { CORE_HOST: '127.0.0.2', CORE_PORT: String(port) };
}

test('a core is asked where it listens', async (t) => {
  const plain = ServerCredentials.createInsecure();
  assert.equal(await isHealthy('core', await startCore(t, plain, 'SERVING')), true);
  assert.equal(await isHealthy('core', await startCore(t, plain, 'NOT_SERVING')), false);
});

test('a core with TLS is asked over TLS, and one with mutual TLS only for its port', async (t) => {
  const authority = await createAuthority(t);
  const { cert, key, certFile, keyFile } = await authority.issue('core');
  const credentials = (clientAuthority: Buffer | null) =>
    ServerCredentials.createSsl(
      clientAuthority,
      [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }],
      clientAuthority !== null,
    );
  const tls = { CORE_TLS_CERT: certFile, CORE_TLS_KEY: keyFile };
  const serving = await startCore(t, credentials(null), 'SERVING');
  assert.equal(await isHealthy('core', { ...serving, ...tls }), true);
  const stopping = await startCore(t, credentials(null), 'NOT_SERVING');
  assert.equal(await isHealthy('core', { ...stopping, ...tls }), false);

  const mutual = { ...tls, CORE_TLS_CLIENT_CA: authority.certFile };
  const strict = await startCore(t, credentials(Buffer.from(authority.cert)), 'SERVING');
  assert.equal(await isHealthy('core', { ...strict, ...mutual }), true);
  const closed = createServer();
  const port = String(await listen(t, closed));
  closed.close();
  assert.equal(await isHealthy('core', { ...mutual, CORE_PORT: port }), false);
});

const answer =
  (status: number): RequestListener =>
  ({ url }, response) =>
    void response.writeHead(url === '/readyz' ? status : 404).end();

test('a facade is asked where it listens, over TLS where it has a certificate', async (t) => {
  const { certFile, keyFile, cert, key } = await (await createAuthority(t)).issue('facade');
  // A busy process may take longer than the launcher waits.
  const late: RequestListener = (request, response) => void setTimeout(answer(200), 1_500, request, response);
  const port = String(await listen(t, createHttpServer(late), '127.0.0.2'));
  const specific = { REST_HOST: '127.0.0.2', REST_PORT: port };
  assert.equal(await isHealthy('facade', specific), true);

  const tls = { REST_TLS_CERT: certFile, REST_TLS_KEY: keyFile };
  assert.equal(await isHealthy('facade', { ...specific, ...tls }), false);
  for (const [status, healthy] of [
    [200, true],
    [503, false],
  ] as const) {
    const server = createHttpsServer({ cert, key }, answer(status));
    const settings = { REST_HOST: '0.0.0.0', REST_PORT: String(await listen(t, server)) };
    assert.equal(await isHealthy('facade', { ...settings, ...tls }), healthy);
  }
});
