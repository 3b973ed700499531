import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noTracing } from '../../../runtime/observe/tracing.js';
import { collectLog } from '../../helpers/collect-log.js';
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

test('the wait of a request for its turn counts in its metrics, log, trace, deadline and answer', async (t) => {
  const waitedMs = 20_000;
  const beganAt = performance.now();
  const ended = deferred<number>();
  const startedAt: (number | undefined)[] = [];
  const timeLeftMs: number[] = [];
  const collected = collectLog();
  const deps: Parameters<typeof serveApp>[1] = {
    log: collected.log,
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
    },
  };
  const answer = await readMeter(await serveApp(t, deps, waitedMs));
  const { process_time: processTime } = (await answer.json()) as { process_time: number };
  assert.ok(processTime >= waitedMs / 1_000, `${processTime} s`);
  const seconds = await ended.promise;
  assert.ok(seconds >= waitedMs / 1_000, `${seconds} s`);
  const { duration_ms: durationMs } = await collected.waitFor(({ msg }) => msg === 'request');
  assert.equal(durationMs, Math.round(seconds * 10_000) / 10);
  const [spanAt = NaN] = startedAt;
  assert.ok(spanAt < beganAt, `a span from ${spanAt}, the test from ${beganAt}`);
  const [leftMs = NaN] = timeLeftMs;
  assert.ok(leftMs <= limits.requestTimeoutMs - waitedMs, `${leftMs} ms left`);
});

test('a trace says how its request ended, and has failed where the service did, not its caller', async (t) => {
  const ends: object[] = [];
  const tracing: typeof noTracing = {
    ...noTracing,
    start: (...span) => ({ ...noTracing.start(...span), end: (end) => ends.push(end) }),
  };
  const core = { call: () => Promise.reject(new Error('fault')) };
  const port = await serveApp(t, { core, tracing });
  const answers = [await fetch(`http://127.0.0.1:${port}/nowhere`), await readMeter(port)];
  await eventually(() => ends.length === 2);
  const [unknown, faulty] = answers.map((answer) => answer.headers.get('x-request-id'));
  assert.deepEqual(ends, [
    {
      name: 'GET',
      failed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 404,
        'http.route': 'other',
        'imageanalysis.reason': 'NO_SUCH_ROUTE',
        'imageanalysis.request_id': unknown,
      },
    },
    {
      name: 'POST /meter-number-ocr/base64',
      failed: true,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 500,
        'http.route': '/meter-number-ocr/base64',
        'imageanalysis.reason': 'INTERNAL',
        'imageanalysis.request_id': faulty,
      },
    },
  ]);
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
