import assert from 'node:assert/strict';
import dns from 'node:dns';
import { getEventListeners, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { type sendUnaryData, Server, ServerInterceptingCall } from '@grpc/grpc-js';
import { FaceDetectionServiceService } from '../../../generated/imageanalysis/v1/face_detection.js';
import {
  type GetDetectionScoreResponse,
  ScoreConfigServiceService,
} from '../../../generated/imageanalysis/v1/score_config.js';
import { createCoreClient } from '../../../rest-facade/core-client/core-client.js';
import { createCoreConnection } from '../../../rest-facade/core-client/core-connection.js';
import { plainText } from '../../../rest-facade/core-client/core-trust.js';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { callerGone } from '../../../runtime/errors/refusal.js';
import { deferred } from '../../helpers/deferred.js';
import { eventually } from '../../helpers/eventually.js';
import { bindServer } from '../../helpers/net/grpc.js';
import { listen } from '../../helpers/net/listen.js';
import { answerAll, holdAnswers } from '../answers.js';
import { detectFace, readHeldBytes, readRefusal, startBoth, startFacade, startHeld, withKey } from '../facade.js';
import { callFakeCore, type Script, startFakeCore } from '../fake-core.js';
import { exchange, openSocket, readToEnd } from '../raw-http.js';

const never: Script = () => new Promise<object>(() => {});
const ask = (url: string) => fetch(`${url}/face_config_score?detection`, { headers: withKey });

/** A port that accepts connections and says nothing. */
function startSilent(t: TestContext): Promise<number> {
  const sockets: Socket[] = [];
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  return listen(
    t,
    createServer((socket) => sockets.push(socket)),
  );
}

test('the deadline of the request goes to the core, and 504 comes when it passes', async (t) => {
  const { url, core, logged } = await startBoth(t, never, { REST_REQUEST_TIMEOUT_MS: '400' });
  const started = Date.now();
  const answer = await ask(url);
  const took = Date.now() - started;
  const { status, reason } = await readRefusal(answer);
  assert.deepEqual([status, reason], [504, 'DEADLINE']);
  assert.ok(took >= 350 && took < 2_000, String(took));
  const left = (core.calls[0]?.deadlineMs ?? 0) - started;
  assert.ok(left > 0 && left < 1_000, String(left));
  await core.calls[0]?.cancelled;
  assert.match(logged(), /"reason":"DEADLINE"/);
});

test('the core is reached where the environment names a proxy', async (t) => {
  process.env['http_proxy'] = 'http://127.0.0.1:1';
  t.after(() => delete process.env['http_proxy']);
  const { url } = await startBoth(t, answerAll);
  assert.equal((await ask(url)).status, 200);
});

test('a clock that is set forward during an upload takes none of its time', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const socket = await openSocket(port);
  const answered = readToEnd(socket);
  const body = JSON.stringify({ image: 'data:image/png;base64,AAAA' });
  const head = ['POST /meter-number-ocr/base64 HTTP/1.1', 'host: test', 'apikey: key', 'connection: close'];
  socket.write([...head, `content-length: ${body.length}`, 'expect: 100-continue', '', ''].join('\r\n'));
  await once(socket, 'data');
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
  socket.write(body);
  assert.match((await answered).body, /^HTTP\/1.1 200 OK/);
});

test('a response goes out without waiting for the status behind it', async (t) => {
  const isAnswered = deferred();
  const holdStatus = new Server({
    interceptors: [
      (_method, call) =>
        new ServerInterceptingCall(call, {
          sendStatus: (status, send) => void isAnswered.promise.then(() => send(status)),
        }),
    ],
  });
  holdStatus.addService(
    { getDetectionScore: ScoreConfigServiceService.getDetectionScore },
    {
      getDetectionScore: (_call: unknown, done: sendUnaryData<GetDetectionScoreResponse>) =>
        done(null, { company: 'acme', detectionScore: 0.5 }),
    },
  );
  const { url } = await startFacade(t, await bindServer(t, holdStatus));
  // Otherwise 504: the status would be waited for until the deadline.
  assert.equal((await ask(url)).status, 200);
  isAnswered.resolve();
});

test('many callers that go away break off nobody else', { timeout: 180_000 }, async (t) => {
  // The first call waits for all rounds.
  const { url, port, core, answer: release } = await startHeld(t, { REST_REQUEST_TIMEOUT_MS: '170000' });
  const staying = [ask(url)];
  await eventually(() => core.calls.length === 1, 20_000);
  // More than an HTTP/2 server takes at once for an attack.
  for (let round = 0; round < 30; round += 1) {
    const before = core.calls.length;
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(port)));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.write('GET /face_config_score?detection HTTP/1.1\r\nhost: x\r\napikey: k\r\n\r\n');
    }
    await eventually(() => core.calls.length === before + 50, 10_000);
    for (const socket of sockets) socket.destroy();
    await Promise.all(core.calls.slice(before).map(({ cancelled }) => cancelled));
    staying.push(ask(url));
    await eventually(() => core.calls.length === before + 51, 10_000);
  }
  release();
  for (const answer of await Promise.all(staying)) assert.equal(answer.status, 200);
});

/** Of a call that nothing ends. */
const patience = { deadline: Infinity, signal: new AbortController().signal };

/** As after many callers that went away. */
const renewByResets = (connection: ReturnType<typeof createCoreConnection>) => {
  for (let reset = 0; reset < 500; reset += 1) connection.noteReset();
};

for (const [what, renewAfterMs, renew] of [
  ['from time to time', 50, () => undefined],
  ['after many resets', undefined, renewByResets],
] as const)
  test(`a name that cannot be looked up, ${what}, leaves what is connected`, async (t) => {
    const address = '127.0.0.1';
    let lookups = 0;
    let isDown = false;
    t.mock.method(dns.promises, 'lookup', () => {
      lookups += 1;
      return isDown ? Promise.reject(new Error('EAI_AGAIN')) : [{ address, family: 4 }];
    });
    const core = await startFakeCore(t, answerAll);
    const connection = createCoreConnection(`dns:///core.test:${core.port}`, plainText, renewAfterMs);
    t.after(() => connection.close());
    await callFakeCore(await connection.ready(patience));
    isDown = true;
    for (let round = 0; round < 4; round += 1) {
      const before = lookups;
      renew(connection);
      await eventually(() => lookups > before, 10_000);
      await callFakeCore(await connection.ready(patience));
    }
    // One for each renewal, not for each reset.
    assert.ok(lookups < 400, `${lookups} look-ups`);
  });

test('a facade looks up the name of its cores again every five seconds', async (t) => {
  const lookup = t.mock.method(dns.promises, 'lookup', () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
  const core = await startFakeCore(t, answerAll);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { url } = await startFacade(t, core.port, { REST_CORE_ADDRESS: `core.test:${core.port}` });
  assert.equal((await ask(url)).status, 200);
  const before = lookup.mock.callCount();
  t.mock.timers.tick(5_000);
  await eventually(() => lookup.mock.callCount() > before);
  t.mock.timers.reset();
});

test('calls that end at their deadline are resets too', async (t) => {
  const lookup = t.mock.method(dns.promises, 'lookup', () => [{ address: '127.0.0.1', family: 4 }]);
  const core = await startFakeCore(t, never);
  const client = createCoreClient(`dns:///core.test:${core.port}`);
  t.after(() => client.close());
  const [rpc] = loadRpcs();
  assert.ok(rpc);
  const { signal } = new AbortController();
  const call = { apiKey: 'k', requestId: 'r', clientAddress: '192.0.2.1', deadline: performance.now() + 500, signal };
  await Promise.allSettled(Array.from({ length: 500 }, () => client.call(rpc, {}, call)));
  await eventually(() => lookup.mock.callCount() > 1);
});

test('a stream of a caller who is gone by then is not opened', async (t) => {
  const server = new Server();
  const streamDetectFaces = (stream: { end(): void }) => stream.end();
  server.addService(FaceDetectionServiceService, { streamDetectFaces });
  const client = createCoreClient(`127.0.0.1:${await bindServer(t, server)}`);
  t.after(() => client.close());
  const rpc = loadRpcs().find(({ path }) => path.endsWith('/StreamDetectFaces'));
  assert.ok(rpc);
  const call = { apiKey: 'k', requestId: 'r', clientAddress: '192.0.2.1', deadline: performance.now() + 10_000 };
  const { ended } = client.stream(rpc, { ...call, signal: AbortSignal.abort(callerGone()) }, () => undefined);
  await assert.rejects(ended, { reason: 'CLIENT_CLOSED' });
});

test('calls that are under way, or begin on the client they were given, outlive its renewal', async (t) => {
  const { script, answer: release } = holdAnswers();
  const core = await startFakeCore(t, script);
  const connection = createCoreConnection(`127.0.0.1:${core.port}`, plainText);
  t.after(() => connection.close());
  const client = await connection.ready(patience);
  const underWay = callFakeCore(client);
  await eventually(() => core.calls.length === 1, 10_000);
  renewByResets(connection);
  await eventually(async () => (await connection.ready(patience)) !== client, 10_000);
  const begun = callFakeCore(client);
  await eventually(() => core.calls.length === 2, 10_000);
  release();
  await Promise.all([underWay, begun]);
});

test('a call that has waited for a connection leaves nothing at its signal', async (t) => {
  const connection = createCoreConnection(`127.0.0.1:${await startSilent(t)}`, plainText);
  t.after(() => connection.close());
  const { signal } = new AbortController();
  const ready = connection.ready({ deadline: performance.now() + 100, signal });
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  await ready;
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a caller that goes away in its upload costs no call', async (t) => {
  const { port, facade, core, logged } = await startBoth(t, answerAll, { REST_METRICS_PORT: '0' });
  for (const type of ['multipart/form-data; boundary=b', 'application/json']) {
    const path = type === 'application/json' ? '/meter-number-ocr/base64' : '/face_detect_single';
    const socket = await openSocket(port);
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\napikey: k\r\ncontent-type: ${type}\r\n` +
        'content-length: 100000\r\n\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nxyz',
    );
    await eventually(async () => (await readHeldBytes(facade)) > 0, 20_000);
    socket.destroy();
    await eventually(() => logged().includes(path), 20_000);
    await eventually(async () => (await readHeldBytes(facade)) === 0, 20_000);
  }
  assert.equal(logged().match(/"status":499,"reason":"CLIENT_CLOSED"/g)?.length, 2);
  assert.deepEqual(core.calls, []);
});

test('an upload that stalls ends at the deadline with 504', async (t) => {
  const { port } = await startBoth(t, answerAll, { REST_REQUEST_TIMEOUT_MS: '300' });
  const head = (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\napikey: k\r\n`;
  const form = 'content-type: multipart/form-data; boundary=b\r\ncontent-length: 1000\r\n\r\n--b';
  const json = 'content-length: 1000\r\n\r\n{"image":';
  const started = Date.now();
  const requests = [head('/face_detect_single') + form, head('/meter-number-ocr/base64') + json];
  for (const { status, text } of await Promise.all(requests.map((request) => exchange(port, request))))
    assert.equal(status, 504, text);
  // The time to drain what still comes is bounded too.
  assert.ok(Date.now() - started < 4_000);
});

test('a caller that takes its answer in drops is cut off, which the log calls the end of its time', async (t) => {
  const { port, logged } = await startBoth(t, answerAll, { REST_REQUEST_TIMEOUT_MS: '300' });
  const socket = connect({
    port,
    host: '127.0.0.1',
    // To return false is to read no more until the next drop.
    onread: { buffer: Buffer.alloc(64), callback: () => false },
  });
  // More than the buffers of both sides hold, and fewer requests than end their connection.
  socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(90));
  const drops = setInterval(() => {
    socket.resume();
    // What is on its way hides the end of the connection from reading, not from writing.
    socket.write('\r\n');
  }, 20);
  // To be reset is to be cut off too.
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.on('close', resolve));
  clearInterval(drops);
  await eventually(() => logged().includes('"status":504,"reason":"DEADLINE"'));
  assert.doesNotMatch(logged(), /CLIENT_CLOSED/);
});

test('a core that is not there is 503 at once, and found when it comes', { timeout: 60_000 }, async (t) => {
  const { port: corePort, kill } = await startFakeCore(t, answerAll);
  kill();
  const { url, logged } = await startFacade(t, corePort);
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    const answer = await ask(url);
    assert.ok(performance.now() - started < 4_000);
    assert.equal(answer.headers.get('retry-after'), '1');
    const { status, reason } = await readRefusal(answer);
    assert.deepEqual([status, reason], [503, 'CORE_UNAVAILABLE']);
  }
  assert.match(logged(), /"level":40.*"reason":"CORE_UNAVAILABLE".*"err":/);
  await startFakeCore(t, answerAll, corePort);
  await eventually(async () => (await ask(url)).status === 200);
});

test('a core that dies in a call is 503, and a restarted one is found again', { timeout: 60_000 }, async (t) => {
  const first = await startFakeCore(t, never);
  const { url } = await startFacade(t, first.port);
  const pending = ask(url);
  await eventually(() => first.calls.length === 1, 20_000);
  first.kill();
  const { status, reason } = await readRefusal(await pending);
  assert.deepEqual([status, reason], [503, 'CORE_UNAVAILABLE']);
  // Until the back-off has grown towards its limit.
  let attempts = 0;
  const closing = createServer((socket) => {
    attempts += 1;
    socket.destroy();
  });
  await once(closing.listen(first.port, '127.0.0.1'), 'listening');
  await eventually(async () => {
    assert.equal((await ask(url)).status, 503);
    return attempts >= 4;
  }, 20_000);
  await new Promise((resolve) => closing.close(resolve));
  await startFakeCore(t, answerAll, first.port);
  await eventually(async () => (await ask(url)).status === 200);
});

test('a core that accepts connections and says nothing is 503, not a hang', { timeout: 60_000 }, async (t) => {
  const { url } = await startFacade(t, await startSilent(t));
  const started = performance.now();
  const { status } = await readRefusal(await ask(url));
  assert.equal(status, 503);
  assert.ok(performance.now() - started < 15_000);
});

test('nobody waits for a connection when there is no time left', { timeout: 60_000 }, async (t) => {
  const corePort = await startSilent(t);
  const { url, facade } = await startFacade(t, corePort, { REST_REQUEST_TIMEOUT_MS: '400' });
  const patient = await startFacade(t, corePort);
  const path = '/imageanalysis.v1.ScoreConfigService/GetDetectionScore';
  const headers = { ...withKey, 'content-type': 'application/json', 'connect-timeout-ms': '400' };
  // A connection is waited for for 5 s.
  const { url: idle } = await startFacade(t, corePort);
  const last = ask(idle).then(() => 'given up');
  const asked = Promise.all([
    ask(url),
    fetch(`${url}/readyz`),
    fetch(patient.url + path, { method: 'POST', headers, body: '{}' }),
    ask(patient.url),
  ]);
  await eventually(() => patient.logged().includes('"status":504'), 4_000);
  await patient.facade.close();
  assert.notEqual(await Promise.race([asked, last]), 'given up');
  const refused = await asked;
  assert.deepEqual(
    refused.map(({ status }) => status),
    [504, 503, 504, 503],
  );
  assert.match(await (refused[3]?.text() ?? ''), /"SHUTTING_DOWN"/);
  await facade.close();
});

test('answers far above the 4 MiB of gRPC pass', async (t) => {
  const crop = Buffer.alloc(20 * 1024 * 1024, 'crop');
  const { url } = await startBoth(t, () => ({ face: { detectionScore: 1, cropJpeg: crop } }));
  const answer = await detectFace(url, Buffer.alloc(10 * 1024 * 1024));
  assert.equal(answer.status, 200);
  const { face } = (await answer.json()) as { face: string };
  assert.ok(Buffer.from(face, 'base64').equals(crop));
});
