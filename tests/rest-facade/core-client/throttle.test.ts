import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createThrottle } from '../../../rest-facade/core-client/throttle.js';
import { type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import { createFairBudget } from '../../../runtime/limits/fair-budget.js';
import { deferred } from '../../helpers/deferred.js';
import { exchange } from '../raw-http.js';
import { serveApp } from '../serve-app.js';

const queueFull = (retryAfterSeconds = 1) => refuse('QUEUE_FULL', 'The queue is full.', { retryAfterSeconds });

/** A throttle with hands on its clock, and work that ends when the test says so. */
function setUp() {
  let nowMs = 0;
  const throttle = createThrottle({ now: () => nowMs });
  /** Asks for work; what came of it is known once `end` was called, or at once where it was not begun. */
  const ask = (caller: string) => {
    const { promise, resolve, reject } = deferred<string>();
    promise.catch(() => undefined); // where it is not begun
    let isBegun = false;
    const work = () => {
      isBegun = true;
      return promise;
    };
    const result = throttle.run(caller, work).catch((error: unknown) => error);
    const end = async (outcome: Refusal | 'answer') => {
      if (outcome === 'answer') resolve(outcome);
      else reject(outcome);
      return await result;
    };
    return { isBegun: () => isBegun, result, end };
  };
  /** Asks for work that ends at once. */
  const run = async (caller: string, outcome: Refusal | 'answer') => {
    const asked = ask(caller);
    return { result: await asked.end(outcome), isBegun: asked.isBegun() };
  };
  return { ask, run, passMs: (ms: number) => void (nowMs += ms) };
}

test('work is passed on while none was refused, and other refusals count as answers', async () => {
  const { run } = setUp();
  for (let i = 0; i < 100; i += 1) {
    assert.deepEqual(await run('a', 'answer'), { result: 'answer', isBegun: true });
    const notFound = refuse('NO_SUCH_ROUTE', 'There is none.');
    assert.deepEqual(await run('a', notFound), { result: notFound, isBegun: true });
  }
});

test('after QUEUE_FULL one is begun for each that is answered, and the rest refused alike', async () => {
  const { ask, run } = setUp();
  const underWay = [ask('a'), ask('a'), ask('a')];
  const full = queueFull(7);
  await underWay[2]?.end(full);
  assert.deepEqual(await run('a', 'answer'), { result: full, isBegun: false });
  assert.deepEqual(await run('b', 'answer'), { result: 'answer', isBegun: true });
  await underWay[0]?.end('answer');
  const next = ask('a');
  assert.equal(next.isBegun(), true);
  assert.equal(await ask('a').result, full);
  await next.end('answer');
  assert.equal(ask('a').isBegun(), true);
});

test('at its limit a caller tries one more ten times a second, and has it when that is taken', async () => {
  const { ask, run, passMs } = setUp();
  ask('a');
  await run('a', queueFull());
  assert.equal(ask('a').isBegun(), false);
  passMs(100);
  const second = ask('a');
  assert.equal(second.isBegun(), true);
  assert.equal(ask('a').isBegun(), false);
  await second.end('answer');
  const third = ask('a');
  assert.equal(third.isBegun(), true);
  passMs(100);
  assert.equal((await run('a', queueFull())).isBegun, true);
  assert.equal(ask('a').isBegun(), false);
  await third.end('answer');
  assert.equal(ask('a').isBegun(), true);
});

test('a limit is forgotten when its caller was not at it for a second, however late refusals come', async () => {
  const { ask, run, passMs } = setUp();
  await run('a', queueFull());
  passMs(999);
  const late = ask('a');
  assert.deepEqual([late.isBegun(), ask('a').isBegun()], [true, false]);
  passMs(999);
  const later = ask('a');
  assert.deepEqual([later.isBegun(), ask('a').isBegun()], [true, false]);
  await late.end(queueFull());
  await later.end(queueFull());
  passMs(1_000);
  assert.deepEqual([ask('a').isBegun(), ask('a').isBegun()], [true, true]);
});

test('a new caller costs as little as any, however many others are at their limit', async () => {
  let asked = 0;
  const throttle = createThrottle({ now: () => (asked += 1) / 1_000 });
  const run = (caller: string) => throttle.run(caller, () => Promise.reject(queueFull())).catch(() => undefined);
  const costs: number[] = [];
  for (let caller = 0; caller < 4_000; caller += 1) {
    const before = asked;
    await run(`made up ${caller}`);
    costs.push(asked - before);
  }
  assert.deepEqual([...new Set(costs)], [costs[0]]);
});

/** Evenly spread work before a core that does 100 a second and has 20 places for more. */
async function simulate(perSecond: number, seconds = 5) {
  const [capacity, places] = [100, 20];
  let nowMs = 0;
  const throttle = createThrottle({ now: () => nowMs });
  const queue: (() => void)[] = [];
  let [sent, begun, answered] = [0, 0, 0];
  const work = () => {
    begun += 1;
    if (queue.length > places) return Promise.reject(queueFull());
    return new Promise<void>((resolve) => queue.push(resolve));
  };
  for (; nowMs < seconds * 1_000; nowMs += 1) {
    if (nowMs % (1_000 / capacity) === 0 && queue.length > 0) {
      queue.shift()?.();
      answered += 1;
    }
    for (; sent < ((nowMs + 1) / 1_000) * perSecond; sent += 1) throttle.run('a', work).catch(() => undefined);
    await nextTurn();
  }
  return { sent, begun, answered: answered / (capacity * seconds), asked: begun - answered };
}

test('under a flood the core keeps all the work that it can do, and is asked little more', async () => {
  for (const times of [2, 10]) {
    const { answered, asked } = await simulate(100 * times);
    assert.ok(answered > 0.98, `${times} x: ${answered} of the capacity is used`);
    // Ten questions a second, the places, and what was on its way when they were full.
    assert.ok(asked <= 50 + 30, `${times} x: asked ${asked} times in vain`);
  }
});

test('what the core can do it gets', async () => {
  const { sent, begun } = await simulate(90);
  assert.equal(begun, sent);
});

test('pictures that the throttle refuses are not read, what is without a picture passes it by', async (t) => {
  const callers: string[] = [];
  const port = await serveApp(t, {
    budget: createFairBudget(0),
    throttle: {
      run(caller) {
        callers.push(caller);
        return Promise.reject(queueFull(7));
      },
    },
  });
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
    '/imageanalysis.v1.FaceDetectionService/DetectSingleFace k 127.0.0.1',
    '/imageanalysis.v1.MeterReadingService/ReadMeter k 127.0.0.1',
  ]);
  const score = 'GET /face_config_score?detection HTTP/1.1\r\nhost: x\r\napikey: k\r\n';
  await exchange(port, `${score}connection: close\r\n\r\n`);
  assert.equal(callers.length, 2);
});
