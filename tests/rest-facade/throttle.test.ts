import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { pino } from 'pino';
import { createApp } from '../../rest-facade/app.js';
import { refuse, type Refusal } from '../../rest-facade/errors.js';
import { noTracing } from '../../runtime/tracing.js';
import { loadRpcs } from '../../rest-facade/protos.js';
import { createThrottle } from '../../rest-facade/throttle.js';
import { createRoutes } from '../../rest-facade/transcode/rules.js';
import { createByteBudget } from '../../rest-facade/upload/byte-budget.js';
import { exchange } from './raw-http.js';

const queueFull = (retryAfterSeconds = 1) =>
  refuse('QUEUE_FULL', 'The queue is full.', { retryAfterSeconds });

/** A throttle with hands on its clock and its dice. */
function setUp() {
  let nowMs = 0;
  let dice = 0;
  const throttle = createThrottle({ now: () => nowMs, random: () => dice });
  /** What came of it, and whether the work was begun. */
  const run = async (caller: string, outcome: Refusal | 'answer') => {
    let isBegun = false;
    const work = () => {
      isBegun = true;
      return outcome === 'answer' ? Promise.resolve(outcome) : Promise.reject(outcome);
    };
    const result = await throttle.run(caller, work).catch((error: unknown) => error);
    return { result, isBegun };
  };
  return {
    run,
    passMs: (ms: number) => void (nowMs += ms),
    /** From now on whatever may be refused is (0), or nothing is (1). */
    throwDice: (value: 0 | 1) => void (dice = value),
  };
}

test('work is passed on while none was refused, and other refusals count as answers', async () => {
  const { run } = setUp();
  for (let i = 0; i < 100; i += 1) {
    assert.deepEqual(await run('a', 'answer'), { result: 'answer', isBegun: true });
    const notFound = refuse('NO_SUCH_ROUTE', 'There is none.');
    assert.deepEqual(await run('a', notFound), { result: notFound, isBegun: true });
  }
});

test('after QUEUE_FULL work is refused with the last such refusal, before it is begun', async () => {
  const { run, throwDice } = setUp();
  throwDice(1);
  for (let i = 0; i < 20; i += 1) await run('a', queueFull(1));
  const last = queueFull(7);
  await run('a', last);
  throwDice(0);
  assert.deepEqual(await run('a', 'answer'), { result: last, isBegun: false });
  assert.deepEqual(await run('b', 'answer'), { result: 'answer', isBegun: true });
});

test('a caller of few requests is never refused here', async () => {
  const { run } = setUp();
  for (let i = 0; i < 4; i += 1) assert.equal((await run('a', queueFull())).isBegun, true);
});

/** Five seconds of evenly spread work before a core that takes on 100 a second. */
async function simulate(perSecond: number) {
  const capacity = 100;
  const seconds = 5;
  const refusal = queueFull();
  let nowMs = 0;
  let throws = 0;
  // Evenly spread in place of random.
  const random = () => (throws++ * 0.618) % 1;
  const throttle = createThrottle({ now: () => nowMs, random });
  let [begun, taken] = [0, 0];
  for (let i = 0; i < perSecond * seconds; i += 1) {
    nowMs = (i / perSecond) * 1_000;
    const work = () => {
      begun += 1;
      if (taken > (nowMs / 1_000) * capacity) return Promise.reject(refusal);
      taken += 1;
      return Promise.resolve();
    };
    await throttle.run('a', work).catch(() => undefined);
  }
  const share = (count: number) => count / (capacity * seconds);
  return { begun: share(begun), taken: share(taken) };
}

test('under a flood the core keeps all the work that it can do, and hears of little more', async () => {
  for (const times of [2, 10]) {
    const { begun, taken } = await simulate(100 * times);
    assert.ok(taken > 0.97, `${times} x: ${taken} of the capacity is used`);
    assert.ok(begun < 2.1, `${times} x: ${begun} x the capacity reaches the core`);
  }
});

test('what the core can do it gets', async () => {
  assert.deepEqual(await simulate(90), { begun: 0.9, taken: 0.9 });
});

test('a flood is forgotten within two spans, and soon after is too', async () => {
  const { run, throwDice, passMs } = setUp();
  throwDice(1);
  for (let i = 0; i < 50; i += 1) await run('a', queueFull());
  throwDice(0);
  passMs(250);
  assert.equal((await run('a', 'answer')).isBegun, false);
  passMs(500);
  assert.equal((await run('a', 'answer')).isBegun, true);
});

test('pictures that the throttle refuses are not read, what is without a picture passes it by', async (t) => {
  const callers: string[] = [];
  const app = createApp({
    routes: createRoutes(loadRpcs()),
    pages: new Map(),
    core: { call: () => Promise.resolve({}) },
    budget: createByteBudget(0),
    throttle: {
      run(caller) {
        callers.push(caller);
        return Promise.reject(queueFull(7));
      },
    },
    maxImageBytes: 1_000,
    maxBodyBytes: 1_000,
    requestTimeoutMs: 60_000,
    metrics: { requestEnded: () => undefined },
    tracing: noTracing,
    log: pino({ level: 'silent' }),
    corsOrigins: [],
    isDraining: () => false,
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  // The bodies do not come.
  const post = (path: string, type: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\napikey: k\r\ncontent-type: ${type}\r\ncontent-length: 900\r\n\r\n`;
  for (const request of [
    post('/face_detect_single', 'multipart/form-data; boundary=b'),
    post('/meter-number-ocr/base64', 'application/json'),
  ]) {
    const { status, headers } = await exchange(port, request);
    assert.deepEqual([status, headers['retry-after']], [429, '7']);
  }
  assert.deepEqual(callers, [
    '/imageanalysis.v1.FaceDetectionService/DetectSingleFace k',
    '/imageanalysis.v1.MeterReadingService/ReadMeter k',
  ]);
  const score = 'GET /face_config_score?detection HTTP/1.1\r\nhost: x\r\napikey: k\r\n';
  await exchange(port, `${score}connection: close\r\n\r\n`);
  assert.equal(callers.length, 2);
});
