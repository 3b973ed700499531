import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { Registry } from 'prom-client';
import { startMetricsServer } from '../../../runtime/observe/metrics-server.js';
import { collectLog } from '../../helpers/collect-log.js';

/** Of a hundred connections. */
const forOneAddress = 80;
const ask = 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n';

async function setUp(t: TestContext) {
  const { log, entries } = collectLog();
  const registry = new Registry();
  const server = await startMetricsServer({ registry, host: '127.0.0.1', port: 0, log });
  t.after(() => server.close());
  const open = async () => {
    const socket = connect(server.port ?? 0, '127.0.0.1').setEncoding('latin1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { open, entries, registry };
}

test('idle connections do not use up the file descriptors, and leave those that are kept alone', async (t) => {
  const { open, entries } = await setUp(t);
  const first = await open();
  for (let count = 1; count < forOneAddress; count += 1) await open();
  const refused = await open();
  refused.on('error', () => {}); // the reset
  await once(refused, 'close');
  assert.equal(entries[0]?.['msg'], 'too many connections, new ones are ended');
  first.write(ask);
  assert.match(String(await once(first, 'data')), /^HTTP\/1\.1 200 OK/);
});

test('nothing but the metrics is served', async (t) => {
  const { open } = await setUp(t);
  for (const [path, status] of [
    ['/metrics?of=all', 200],
    ['/', 404],
    ['/metrics/other', 404],
  ] as const) {
    const socket = await open();
    socket.write(ask.replace('/metrics', path));
    assert.match(String(await once(socket, 'data')), new RegExp(`^HTTP/1\\.1 ${status} `), path);
  }
});

test('who does not wait for the answer gets none', async (t) => {
  const { open, registry } = await setUp(t);
  const rendered = t.mock.method(registry, 'metrics');
  const patient = await open();
  for (let round = 0; round < 2; round += 1) {
    patient.write(ask);
    assert.match(String(await once(patient, 'data')), /^HTTP\/1\.1 200 OK/);
  }
  const hasty = await open();
  hasty.write(ask.repeat(1_000));
  hasty.on('error', () => {}); // the reset
  await once(hasty.resume(), 'close');
  assert.equal(rendered.mock.callCount(), 3);
});

test('who does not wait gets none either if all but the first request lack a host', async (t) => {
  const { open } = await setUp(t);
  const hasty = await open();
  let text = '';
  hasty.on('data', (chunk: string) => (text += chunk));
  hasty.write(ask + 'GET / HTTP/1.1\r\n\r\n'.repeat(1_000));
  hasty.on('error', () => {}); // the reset
  await once(hasty, 'close');
  assert.equal(text, '');
});
