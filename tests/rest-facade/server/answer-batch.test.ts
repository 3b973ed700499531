import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { AppOptions } from '../../../rest-facade/server/app.js';
import type { Outcome } from '../../../rest-facade/server/request-context.js';
import { createFairBudget } from '../../../runtime/limits/fair-budget.js';
import { deferred } from '../../helpers/deferred.js';
import { eventually, untilStill } from '../../helpers/eventually.js';
import { withKey } from '../facade.js';
import { multipartRequest, openSocket } from '../raw-http.js';
import { limits, serveApp } from '../serve-app.js';

// Batches before a core that the tests play; tests/contract/ has them before the real one.

type Answer = Parameters<Parameters<AppOptions['core']['stream']>[2]>[0];

const pictureBytes = 100_000;
const pictures = 20;
const mebi = 2 ** 20;

interface Core {
  readonly answer: (answer: Answer) => void;
  /** Ends the stream, whatever is not answered. */
  readonly leave: () => void;
}

/** @param play what the core does with a picture, by its id */
async function setUp(t: TestContext, play: (id: string, core: Core) => void, budgetBytes = 500 * mebi) {
  const budget = createFairBudget(budgetBytes);
  const outcomes: Outcome[] = [];
  const sent: string[] = [];
  const stream: AppOptions['core']['stream'] = (_rpc, { signal }, onAnswer) => {
    const { promise, resolve, reject } = deferred();
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    const waiting = new Set<string>();
    let isComplete = false;
    const endIfDone = () => {
      if (isComplete && waiting.size === 0) resolve();
    };
    const answer = (given: Answer) => {
      waiting.delete(given.id);
      onAnswer(given);
      endIfDone();
    };
    return {
      send({ id }) {
        sent.push(id);
        waiting.add(id);
        play(id, { answer, leave: resolve });
      },
      end() {
        isComplete = true;
        endIfDone();
      },
      ended: promise,
    };
  };
  const port = await serveApp(t, {
    budget,
    core: { stream, call: () => new Promise(() => {}) },
    limits: { ...limits, maxImageBytes: pictureBytes, maxBatchFiles: pictures, maxBatchBytes: 100 * mebi },
    metrics: { requestEnded: (_operation, outcome) => outcomes.push(outcome) },
  });
  const post = async (files: number, fields: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    for (let index = 0; index < files; index += 1) body.append('file', new Blob(['x']), `${index}`);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/faces/batch`, { method: 'POST', headers: withKey, body });
    const lines = (await answer.text()).trim().split('\n');
    const shown = lines.map((line) => JSON.parse(line) as { index?: number; reason?: string; request_id?: string });
    for (const { reason, request_id: id } of shown) if (reason) assert.equal(id, answer.headers.get('x-request-id'));
    return { answer, lines: shown.map(({ index, reason }) => [index, reason]) };
  };
  /** Sends large pictures and reads nothing. @param before a request before them, which gets no answer */
  const flood = async (files: number, before = '') => {
    const socket = await openSocket(port);
    t.after(() => socket.destroy());
    const part = `--b\ncontent-disposition: form-data; name="file"; filename="a"\n\n${'x'.repeat(pictureBytes)}\n`;
    socket.write(before + multipartRequest('/v1/faces/batch', `${part.repeat(files)}--b--\n`));
    return socket;
  };
  return { budget, outcomes, sent, post, flood };
}

const found = (id: string, cropBytes = 1): Answer => ({
  id,
  response: { faces: [{ crop_jpeg: Buffer.alloc(cropBytes) }] },
  error: null,
});

test('pictures that the core leaves without an answer are refused, and the request is counted so', async (t) => {
  const { outcomes, post } = await setUp(t, (id, { answer, leave }) => (id === '1' ? answer(found(id)) : leave()));
  const { answer, lines } = await post(3);
  assert.equal(answer.status, 200);
  // nginx collects no lines then.
  assert.equal(answer.headers.get('x-accel-buffering'), 'no');
  assert.deepEqual(lines, [
    [1, undefined],
    [0, 'INTERNAL'],
    [2, 'INTERNAL'],
    [undefined, 'INTERNAL'],
  ]);
  assert.deepEqual(
    [(await post(1)).answer.status, outcomes.map(({ reason }) => reason)],
    [500, ['INTERNAL', 'INTERNAL']],
  );
});

test('a line for which its caller has no room breaks off the batch', async (t) => {
  const { budget, post } = await setUp(t, (id, { answer }) => answer(found(id, 20_000)), 20_000);
  const { answer, lines } = await post(1);
  assert.deepEqual([answer.status, lines], [429, [[undefined, 'QUEUE_FULL']]]);
  assert.equal(budget.taken, 0);
});

test('a batch with an unknown field holds nothing', async (t) => {
  const { budget, post } = await setUp(t, () => undefined);
  const { lines } = await post(1, { minscore: '0.5' });
  assert.deepEqual([lines, budget.taken], [[[undefined, 'UNKNOWN_FIELD']], 0]);
});

test('eight pictures wait for the core, and the rest of the body for them', async (t) => {
  const answers: (() => void)[] = [];
  let isHeld = true;
  const { sent, flood } = await setUp(t, (id, { answer }) => {
    if (isHeld) answers.push(() => answer(found(id)));
    else answer(found(id));
  });
  await flood(pictures);
  await eventually(() => sent.length >= 8);
  await untilStill(() => sent.length);
  // One may come with the end of another.
  assert.ok(sent.length <= 9, `${sent.length} pictures`);
  isHeld = false;
  for (const answer of answers) answer();
  await eventually(() => sent.length === pictures);
});

test('pictures that wait are not held for a caller who leaves', async (t) => {
  const { budget, sent, flood } = await setUp(t, () => undefined);
  const socket = await flood(2);
  await eventually(() => sent.length === 2);
  assert.ok(budget.taken >= 2 * pictureBytes, `${budget.taken} bytes`);
  socket.destroy();
  await eventually(() => budget.taken === 0);
});

test('a caller that reads no line before all is sent, as browsers, is not waited for', async (t) => {
  const { sent, flood } = await setUp(t, (id, { answer }) => answer(found(id, 3 * mebi)));
  await flood(pictures);
  await eventually(() => sent.length === pictures);
});

test('where memory is scarce, the body waits while lines are not read', async (t) => {
  const { sent, flood } = await setUp(t, (id, { answer }) => answer(found(id, 3 * mebi)), 60 * mebi);
  const socket = await flood(pictures);
  await untilStill(() => sent.length);
  // What the buffers of both sockets take, and 8 MiB.
  assert.ok(sent.length < pictures - 5, `${sent.length} pictures`);
  socket.resume();
  await eventually(() => sent.length === pictures);
});

test('lines behind another response are not held for a caller who leaves', async (t) => {
  const { budget, flood } = await setUp(t, (id, { answer }) => answer(found(id, mebi)));
  const socket = await flood(2, 'GET /v1/version HTTP/1.1\r\nhost: x\r\napikey: k\r\n\r\n');
  await eventually(() => budget.taken > mebi);
  socket.destroy();
  await eventually(() => budget.taken === 0);
});
