import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { askCore } from '../../../rest-facade/server/ask-core.js';
import { createFairBudget } from '../../../runtime/limits/fair-budget.js';
import { createUnread } from '../../../runtime/limits/unread.js';
import { eventually } from '../../helpers/eventually.js';
import { detectFace, readHeldBytes, readRefusal, startBoth, withKey } from '../facade.js';
import { multipartRequest, openSocket } from '../raw-http.js';
import { limits, serveApp } from '../serve-app.js';

const mebi = 2 ** 20;
/** In base64 16 MiB: more than the buffers of both sockets hold. */
const crop = Buffer.alloc(12 * mebi, 'crop');
const single = { face: { detectionScore: 1, cropJpeg: crop } };

/** A facade whose core answers with a large crop, and whose budget has room for three of them. */
async function setUp(t: TestContext, env: Record<string, string> = {}) {
  const { url, port, facade, core, logged } = await startBoth(t, () => single, {
    REST_METRICS_PORT: '0',
    REST_MAX_BUFFERED_BYTES: String(64 * mebi),
    ...env,
  });
  return {
    facade,
    logged,
    /** How often the core was asked. */
    countCalls: () => core.calls.length,
    ask: () => detectFace(url),
    /** Resolves when the response begins; none of it is read after that. */
    askAndStopReading: async (count = 1) => {
      const socket = await openSocket(port);
      t.after(() => socket.destroy());
      const part = 'content-disposition: form-data; name="file"; filename="a"';
      const request = multipartRequest('/face_detect_single', `--b\n${part}\n\nx\n--b--\n`);
      socket.write(request.replace('connection: close\r\n', '').repeat(count));
      await once(socket, 'readable');
      return socket;
    },
    untilHeld: (holds: (bytes: number) => boolean) => eventually(async () => holds(await readHeldBytes(facade))),
  };
}

test(
  'who does not read its responses is refused before the core is asked, once the budget is used up, until they are closed',
  { timeout: 30_000 },
  async (t) => {
    const { ask, askAndStopReading, untilHeld, countCalls } = await setUp(t);
    const sockets: Socket[] = [];
    for (let n = 0; n < 3; n += 1) sockets.push(await askAndStopReading());
    await untilHeld((bytes) => bytes > 48 * mebi);
    const refused = await ask();
    assert.equal(refused.headers.get('retry-after'), '1');
    const { status, reason } = await readRefusal(refused);
    assert.deepEqual([status, reason], [429, 'QUEUE_FULL']);
    assert.equal(countCalls(), 3, 'the core is not asked in vain');
    for (const socket of sockets) socket.destroy();
    await untilHeld((bytes) => bytes === 0);
    assert.equal((await ask()).status, 200);
  },
);

test('who reads its responses has room for any number', { timeout: 30_000 }, async (t) => {
  const { ask, untilHeld } = await setUp(t);
  for (let round = 0; round < 5; round += 1) {
    const answer = await ask();
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
  }
  await untilHeld((bytes) => bytes === 0);
});

test(
  'a response that waits for another is counted, and given back with its connection',
  { timeout: 30_000 },
  async (t) => {
    const { askAndStopReading, untilHeld } = await setUp(t);
    const socket = await askAndStopReading(2);
    await untilHeld((bytes) => bytes > 32 * mebi);
    socket.destroy();
    await untilHeld((bytes) => bytes === 0);
  },
);

test('a response larger than any share is sent if nothing else is held', async (t) => {
  const { ask, askAndStopReading, untilHeld } = await setUp(t, {
    REST_MAX_IMAGE_BYTES: String(mebi),
    REST_MAX_BUFFERED_BYTES: String(5 * mebi),
  });
  assert.ok((await (await ask()).arrayBuffer()).byteLength > 16 * mebi);
  await untilHeld((bytes) => bytes === 0);
  await askAndStopReading();
  assert.equal((await ask()).status, 429);
});

test('a response that nobody reads does not keep a facade that closes, and is logged as ended by it', async (t) => {
  const { askAndStopReading, facade, logged } = await setUp(t, { REST_SHUTDOWN_GRACE_MS: '0' });
  await askAndStopReading();
  await facade.close();
  await eventually(() => logged().includes('"status":503,"reason":"SHUTTING_DOWN"'));
});

test('nothing is held for a caller that is gone', async () => {
  const budget = createFairBudget(1_000);
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const [rpc] = loadRpcs();
  assert.ok(rpc);
  const fails = () => assert.fail('not asked');
  const deps = { core: { call: fails, stream: fails }, budget, batches: budget, unread: createUnread(), limits };
  const { signal } = new AbortController();
  await askCore({ ...deps, throttle: { run: (_caller, work) => work() } }, response, {
    rpc,
    call: { clientAddress: '192.0.2.1', apiKey: 'k', requestId: 'r', deadline: Infinity, signal },
    ask: () => Promise.resolve({}),
    show() {
      response.destroy();
      return { headers: {}, body: 'a'.repeat(100) };
    },
  });
  assert.equal(budget.taken, 0);
});

test('a score is sent while the budget is used up, since it may have been set', async (t) => {
  const budget = createFairBudget(1_000);
  const share = budget.of('127.0.0.1');
  share.add(share.largest);
  const core = { call: () => Promise.resolve({ company: 'acme', detection_score: 0.8 }) };
  const port = await serveApp(t, { budget, core });
  const path = '/face_config_score?company=acme&password=a&detection=0.8';
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: withKey });
  assert.equal(answer.status, 200);
});
