import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppOptions } from '../../../rest-facade/server/app.js';
import { noTracing } from '../../../runtime/observe/tracing.js';
import { deferred } from '../../helpers/deferred.js';
import { eventually } from '../../helpers/eventually.js';
import { answers } from '../answers.js';
import { readRefusal, withKey } from '../facade.js';
import { limits, serveApp } from '../serve-app.js';

const readMeter = (port: number) =>
  fetch(`http://127.0.0.1:${port}/meter-number-ocr/base64`, {
    method: 'POST',
    headers: { ...withKey, 'content-type': 'application/json' },
    body: JSON.stringify({ image: 'data:image/png;base64,AAAA' }),
  });

test('the wait of a request for its turn counts in its metrics, trace, deadline and answer', async (t) => {
  const waitedMs = 20_000;
  const beganAt = performance.now();
  const ended = deferred<number>();
  const startedAt: (number | undefined)[] = [];
  const timeLeftMs: number[] = [];
  const deps: Partial<AppOptions> = {
    metrics: { requestEnded: (_operation, { seconds }) => ended.resolve(seconds) },
    tracing: {
      ...noTracing,
      start(name, parent, kind, at) {
        startedAt.push(at);
        return noTracing.start(name, parent, kind, at);
      },
    },
    core: {
      call(_rpc, _message, { deadline }) {
        timeLeftMs.push(deadline - performance.now());
        return Promise.resolve(answers.ReadMeter);
      },
      stream: () => assert.fail('no stream'),
    },
  };
  const answer = await readMeter(await serveApp(t, deps, waitedMs));
  const { process_time: processTime } = (await answer.json()) as { process_time: number };
  assert.ok(processTime >= waitedMs / 1_000, `${processTime} s`);
  const seconds = await ended.promise;
  assert.ok(seconds >= waitedMs / 1_000, `${seconds} s`);
  const [spanAt = NaN] = startedAt;
  assert.ok(spanAt < beganAt, `a span from ${spanAt}, the test from ${beganAt}`);
  const [leftMs = NaN] = timeLeftMs;
  assert.ok(leftMs <= limits.requestTimeoutMs - waitedMs, `${leftMs} ms left`);
});

test('a trace has failed where the service did, not its caller', async (t) => {
  const failed: boolean[] = [];
  const tracing: typeof noTracing = {
    ...noTracing,
    start: (...span) => ({ ...noTracing.start(...span), end: (end) => failed.push(end.failed) }),
  };
  const core = { call: () => Promise.reject(new Error('fault')) };
  const port = await serveApp(t, { core, tracing });
  const statuses = [(await fetch(`http://127.0.0.1:${port}/nowhere`)).status, (await readMeter(port)).status];
  await eventually(() => failed.length === 2);
  assert.deepEqual(
    [statuses, failed],
    [
      [404, 500],
      [false, true],
    ],
  );
});

test('a probe is not traced', async (t) => {
  const started: string[] = [];
  const page = () => Promise.resolve({ status: 200, headers: {}, body: '' });
  const paths = ['/livez', '/readyz', '/docs'];
  const port = await serveApp(t, {
    pages: new Map(paths.map((path) => [path, page])),
    tracing: {
      ...noTracing,
      start(...span) {
        started.push(span[0]);
        return noTracing.start(...span);
      },
    },
  });
  for (const path of [...paths, '/livez?verbose'])
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200);
  assert.deepEqual(started, ['GET']);
});

test('a request whose time ran out while it waited for its turn is refused without work', async (t) => {
  let calls = 0;
  const core = { call: () => Promise.resolve({ calls: (calls += 1) }) };
  const port = await serveApp(t, { core }, limits.requestTimeoutMs);
  const { status, reason, details } = await readRefusal(await readMeter(port));
  assert.deepEqual([status, reason, details], [504, 'DEADLINE', { limit: '60000' }]);
  assert.equal(calls, 0);
});
