import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker as Thread } from 'node:worker_threads';
import { restartDelayMs } from '../../../../core-server/inference/pool/supervisor.js';
import type { WorkerPoolOptions } from '../../../../core-server/inference/pool/worker.js';
import { createWorkerPool, type WorkerPool } from '../../../../core-server/inference/pool/worker-pool.js';
import { Refusal, refuse } from '../../../../runtime/errors/refusal.js';
import { collectLog, type LogEntry } from '../../../helpers/collect-log.js';
import { deferred } from '../../../helpers/deferred.js';
import { eventually } from '../../../helpers/eventually.js';
import { createTemporaryFolder } from '../../../helpers/temporary-folder.js';
import type { FixtureData, FixtureTasks, Hold } from './worker-fixture.js';

interface Started {
  readonly pool: WorkerPool<FixtureTasks>;
  /** What the workers did, line by line. */
  readonly journal: () => string[];
  /** Whether workers can start; those that run are left alone. */
  readonly letStart: (canStart: boolean) => void;
  /** How many workers have begun to start. */
  readonly countBegun: () => number;
  /** Lines of the pool's log. */
  readonly logged: LogEntry[];
}

interface StartOptions extends Partial<WorkerPoolOptions> {
  /** No start succeeds, or every one hangs, until `letStart`. */
  readonly failStart?: boolean;
  readonly hangStart?: boolean;
  readonly loadMs?: number;
}

async function start(t: TestContext, options: StartOptions = {}): Promise<Started> {
  const { failStart = false, hangStart = false, loadMs = 0, ...poolOptions } = options;
  const file = join(await createTemporaryFolder(t), 'journal');
  writeFileSync(file, '');
  const cannotStart = new Int32Array(new SharedArrayBuffer(4));
  cannotStart[0] = failStart ? 1 : hangStart ? 2 : 0;
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const { log, entries } = collectLog();
  const pool = createWorkerPool<FixtureTasks>({
    workerUrl: new URL('./worker-fixture.js', import.meta.url),
    workerData: {
      journal: file,
      loadMs,
      cannotStart,
      begun,
      runs: new Int32Array(new SharedArrayBuffer(4)),
    } satisfies FixtureData,
    size: 1,
    maxQueue: 2,
    log,
    ...poolOptions,
  });
  t.after(() => pool.close(0));
  if (!failStart && !hangStart && loadMs === 0) await eventually(() => pool.stats.workers === (options.size ?? 1));
  return {
    pool,
    logged: entries,
    journal: () => readFileSync(file, 'utf8').split('\n').slice(0, -1),
    letStart(canStart) {
      Atomics.store(cannotStart, 0, canStart ? 0 : 1);
      Atomics.notify(cannotStart, 0);
    },
    countBegun: () => Atomics.load(begun, 0),
  };
}

const forever = (): AbortSignal => new AbortController().signal;

test('a task gets its input and its output comes back', async (t) => {
  const { pool } = await start(t);
  const bytes = Uint8Array.of(1, 2, 3);
  const output = await pool.run('echo', { bytes, text: 'ä' }, { signal: forever() });
  assert.deepEqual(output, { bytes, text: 'ä' });
  assert.equal(bytes.length, 3); // copied, not taken
  assert.deepEqual(pool.stats, { queued: 0, running: 0, workers: 1, lost: 0 });
});

test('short jobs of one key wait for one long job of another, not for one before each', async (t) => {
  const { pool } = await start(t, { size: 2, maxQueue: 20 });
  const done: string[] = [];
  const run = (keyId: string, ms: number) =>
    pool.run('sleep', ms, { signal: forever(), keyId }).then(() => done.push(keyId));
  const all = [
    ...Array.from({ length: 6 }, () => run('long', 300)),
    ...Array.from({ length: 4 }, () => run('short', 1)),
  ];
  await Promise.all(all);
  // Both workers have a long one when the others come.
  assert.deepEqual(done.filter((keyId, at) => keyId === 'short' && at < 6).length, 4, done.join(' '));
});

test('while half of the workers are idle, each job has a spare core', async (t) => {
  const { pool } = await start(t, { size: 4, maxQueue: 9, leftProcessors: () => 4 });
  const told = Array.from({ length: 5 }, () => pool.run('spare', 20, { signal: forever() }));
  assert.deepEqual(await Promise.all(told), [true, true, false, false, false]);
  assert.equal(await pool.run('spare', 0, { signal: forever() }), true);
});

test('where others use the processors, or a worker is alone, no core is spare', async (t) => {
  let left = 1.9;
  const { pool } = await start(t, { size: 4, leftProcessors: () => left });
  const spare = () => pool.run('spare', 20, { signal: forever() });
  assert.deepEqual(await Promise.all([spare(), spare()]), [true, false]);
  left = 1.5;
  assert.equal(await spare(), false);
  // Linux does not say.
  left = NaN;
  assert.equal(await spare(), true);
  const { pool: lone } = await start(t);
  assert.equal(await lone.run('spare', 0, { signal: forever() }), false);
});

test('a full queue refuses with the time to retry after, and serves again later', async (t) => {
  const { pool } = await start(t, { maxQueue: 2 });
  const accepted = [1, 2, 3].map(() => pool.run('sleep', 50, { signal: forever() }));
  assert.deepEqual({ ...pool.stats }, { queued: 2, running: 1, workers: 1, lost: 0 });
  await assert.rejects(pool.run('sleep', 50, { signal: forever() }), {
    name: 'Refusal',
    reason: 'QUEUE_FULL',
    message: 'the queue has 2 ahead of this request and room for 2, try again in 1 s',
    retryAfterSeconds: 1,
  });
  assert.deepEqual(await Promise.all(accepted), ['slept', 'slept', 'slept']);
  assert.equal(await pool.run('sleep', 1, { signal: forever() }), 'slept');
});

test('a call that cannot be served in time is refused while others still find a place', async (t) => {
  const { pool } = await start(t, { maxQueue: 10 });
  const running = pool.run('sleep', 50, { signal: forever() });
  const hurried = { signal: forever(), timeLeftMs: () => 10 };
  await assert.rejects(pool.run('sleep', 1, hurried), {
    name: 'Refusal',
    reason: 'QUEUE_FULL',
    message: 'the queue has 0 ahead of this request and room for 0, try again in 1 s',
    retryAfterSeconds: 1,
  });
  const patient = pool.run('echo', 'served', { signal: forever(), timeLeftMs: () => 60_000 });
  assert.deepEqual(await Promise.all([running, patient]), ['slept', 'served']);
  assert.equal(await pool.run('echo', 'free', hurried), 'free'); // a free worker takes it
});

test('who can be served in time is judged by how long jobs took in their worker', async (t) => {
  const { pool } = await start(t, { size: 2, maxQueue: 10 });
  const slow = [1, 2].map(() => pool.run('age', 600, { signal: forever() }));
  pool.assertRoom('', 300);
  await Promise.all(slow);
  const running = [1, 2].map(() => pool.run('echo', 'running', { signal: forever() }));
  const full = { name: 'Refusal', reason: 'QUEUE_FULL' };
  assert.throws(() => pool.assertRoom('', 300), full);
  pool.assertRoom('who has no job', 300);
  const waiting = pool.run('echo', 'waiting', { signal: forever(), keyId: 'who has no job' });
  assert.throws(() => pool.assertRoom('who has no job', 300), full);
  await Promise.all([...running, waiting]);
});

test('after slow pictures, an idle service has room for whoever comes next', async (t) => {
  const { pool } = await start(t, { maxQueue: 10 });
  for (let i = 0; i < 8; i += 1) await pool.run('age', 30_000, { signal: forever() });
  const running = pool.run('echo', 'running', { signal: forever() });
  pool.assertRoom('', 30_000);
  await running;
});

/** What an attack or a collection does to the main thread. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('while the main thread stands still, jobs take no longer', async (t) => {
  const { pool } = await start(t, { maxQueue: 10 });
  await pool.run('echo', 'ready', { signal: forever() });
  await new Promise(setImmediate); // so that timers come before what workers sent
  const meanwhile = pool.run('echo', 'answered', { signal: forever() });
  standStill(600);
  assert.equal(await meanwhile, 'answered');
  const running = pool.run('sleep', 20, { signal: forever() });
  pool.assertRoom('', 500);
  await running;
});

test('a caller that can be slowed down waits for room', async (t) => {
  const { pool } = await start(t, { maxQueue: 1 });
  const all = [1, 2, 3, 4, 5].map((i) => pool.run('echo', i, { signal: forever(), wait: 'queue' }));
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4, 5]);
});

test('an aborted call is answered by its reason and never reaches a worker', async (t) => {
  const { pool, journal } = await start(t);
  const running = pool.run('block', 200, { signal: forever() });
  const caller = new AbortController();
  const queued = pool.run('sleep', 1, { signal: caller.signal });
  const reason = refuse('DEADLINE', 'too late');
  caller.abort(reason);
  await assert.rejects(queued, (error) => error === reason);
  assert.equal(pool.stats.queued, 0);
  await running;
  await assert.rejects(pool.run('sleep', 1, { signal: caller.signal }), (error) => error === reason);
  await pool.run('echo', 1, { signal: forever() });
  assert.deepEqual(journal(), []);
});

test('a running job that is aborted is answered at once, and its worker goes on', async (t) => {
  const { pool } = await start(t);
  const caller = new AbortController();
  const running = pool.run('block', 1_000, { signal: caller.signal });
  await sleep(20);
  caller.abort(refuse('CLIENT_CLOSED', 'gone'));
  await assert.rejects(running, { name: 'Refusal', reason: 'CLIENT_CLOSED' });
  assert.equal(pool.stats.running, 1); // the thread cannot be interrupted
  assert.equal(await pool.run('echo', 'next', { signal: forever() }), 'next');
  assert.equal(pool.stats.lost, 0);
});

test('a running job learns that nobody waits any more, and no other, without an entry in the log', async (t) => {
  const { pool, journal, logged } = await start(t, { size: 2 });
  const hold = createHold();
  const other = pool.run('weigh', { ms: 1, weight: 0, hold }, { signal: forever() });
  await eventually(() => journal().length === 1);
  const caller = new AbortController();
  const running = pool.run('obedient', null, { signal: caller.signal });
  await eventually(() => journal().length === 2);
  caller.abort(refuse('CLIENT_CLOSED', 'gone'));
  await assert.rejects(running, { name: 'Refusal', reason: 'CLIENT_CLOSED' });
  await eventually(() => pool.stats.running === 1);
  assert.deepEqual(journal(), ['weigh begins', 'obedient begins', 'obedient stops']);
  letGo(hold);
  await other;
  assert.deepEqual(logged, []);
});

test('a refusal crosses the thread border whole', async (t) => {
  const { pool, logged } = await start(t);
  await assert.rejects(pool.run('refuse', null, { signal: forever() }), (error: unknown) => {
    assert.ok(error instanceof Refusal);
    assert.equal(error.reason, 'CORRUPT_IMAGE');
    assert.equal(error.message, 'image is bad, want a good one');
    assert.deepEqual(error.details, { field: 'image' });
    assert.equal(error.retryAfterSeconds, 3);
    assert.match(String(error.cause), /decoder said no/);
    return true;
  });
  assert.deepEqual(logged, []);
});

test('an unexpected throw is INTERNAL with its stack for the log of its call, and the worker survives', async (t) => {
  const { pool, logged } = await start(t);
  await assert.rejects(pool.run('crash', null, { signal: forever() }), (error: unknown) => {
    assert.ok(error instanceof Refusal);
    assert.equal(error.reason, 'INTERNAL');
    assert.doesNotMatch(error.message, /picture/);
    assert.ok(error.cause instanceof Error);
    assert.match(error.cause.stack ?? '', /undefined is not a picture.*worker-fixture/s);
    return true;
  });
  assert.deepEqual(logged, []);
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  assert.equal(pool.stats.lost, 0);
});

test('what cannot be sent fails alone', async (t) => {
  const { pool } = await start(t);
  await assert.rejects(
    pool.run('echo', () => 1, { signal: forever() }),
    { name: 'Refusal', reason: 'INTERNAL' },
  );
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
});

test('a job whose worker dies is tried once more, and the next jobs work', async (t) => {
  const { pool, journal } = await start(t);
  const reportStart = t.mock.fn();
  assert.equal(await pool.run('dieOnce', 'a', { signal: forever(), reportStart }), 'answered a');
  assert.deepEqual(journal(), ['dieOnce a', 'dieOnce a']);
  assert.equal(reportStart.mock.callCount(), 1);
  assert.equal(pool.stats.lost, 1);
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
});

test('a job that loses its worker twice is WORKER_LOST, and the next jobs work', async (t) => {
  const { pool, journal } = await start(t);
  await assert.rejects(pool.run('die', null, { signal: forever() }), {
    name: 'Refusal',
    reason: 'WORKER_LOST',
    cause: new Error('worker ended with exit code 3'),
  });
  assert.deepEqual(journal(), ['die', 'die']);
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  assert.equal(pool.stats.workers, 1);
});

test('a job that was aborted is not tried again when its worker dies', async (t) => {
  const { pool, journal } = await start(t);
  const caller = new AbortController();
  const running = pool.run('dieOnAbort', null, { signal: caller.signal });
  await eventually(() => journal().length > 0);
  caller.abort(refuse('CLIENT_CLOSED', 'gone'));
  await assert.rejects(running, { name: 'Refusal', reason: 'CLIENT_CLOSED' });
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  assert.deepEqual(journal(), ['dieOnAbort']);
  assert.equal(pool.stats.lost, 1);
});

test('a job that was aborted before it needs memory is not tried again', async (t) => {
  const { pool, journal } = await start(t);
  const caller = new AbortController();
  const running = pool.run('weigh', { ms: 1, weight: 1 }, { signal: caller.signal });
  caller.abort(refuse('CLIENT_CLOSED', 'gone'));
  await assert.rejects(running, { name: 'Refusal', reason: 'CLIENT_CLOSED' });
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  assert.deepEqual(journal(), []);
});

test('a stuck worker is replaced and its job fails', async (t) => {
  const onHung = t.mock.fn();
  const { pool } = await start(t, { taskTimeoutMs: 60, stuckGraceMs: 1_000, onHung });
  const { log, entries } = collectLog();
  const before = performance.now();
  const stuckMs = 100_000;
  await assert.rejects(pool.run('block', stuckMs, { signal: forever(), log }), { name: 'Refusal', reason: 'INTERNAL' });
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  assert.ok(performance.now() - before < stuckMs, 'did not wait for the stuck thread');
  assert.equal(pool.stats.lost, 1);
  assert.deepEqual(
    entries.map(({ msg, task, err }) => [msg, task, (err as Error).message]),
    [['worker lost', 'block', 'worker was stuck with block for 60 ms']],
  );
  await pool.close(0);
  assert.equal(onHung.mock.callCount(), 0);
});

test('a worker that hangs in native code is reported, since only the end of the process ends it', async (t) => {
  const hung = deferred();
  const { pool, journal, logged } = await start(t, { taskTimeoutMs: 60, stuckGraceMs: 10, onHung: hung.resolve });
  const fifo = join(await createTemporaryFolder(t), 'fifo');
  execFileSync('mkfifo', [fifo]);
  await assert.rejects(pool.run('hang', fifo, { signal: forever() }), { name: 'Refusal', reason: 'INTERNAL' });
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  await hung.promise;
  // Who closes learns that it is still there.
  const closed = pool.close(0);
  await eventually(() => journal().includes('released'));
  assert.equal(await Promise.race([closed, sleep(100, 'waits', { ref: false })]), 'waits');
  closeSync(openSync(fifo, 'w'));
  await closed;
  assert.equal(logged.at(-1)?.['msg'], 'the thread of a stuck worker hangs in native code');
});

test('while no worker can be started jobs are refused at once, those that wait too', async (t) => {
  const { pool, letStart } = await start(t, { maxQueue: 5 });
  const told: boolean[] = [];
  pool.watch((canWork) => told.push(canWork));
  const noWorker = { name: 'Refusal', reason: 'WORKER_LOST', cause: new Error('no model here') };
  for (let round = 0; round < 2; round += 1) {
    letStart(false);
    const waiting = ['refuse', 'queue'] as const;
    const lost = [
      pool.run('die', null, { signal: forever() }),
      ...waiting.map((wait) => pool.run('echo', 1, { signal: forever(), wait })),
    ];
    for (const job of lost) await assert.rejects(job, noWorker);
    assert.equal(told.at(-1), false);
    assert.throws(() => pool.assertRoom('', Infinity), noWorker);
    const late = waiting.map((wait) => pool.run('echo', 1, { signal: forever(), wait }));
    assert.equal(pool.stats.queued, 0);
    for (const job of late) await assert.rejects(job, noWorker);
    letStart(true);
    await eventually(() => pool.stats.workers === 1);
    assert.equal(told.at(-1), true);
    // Failed starts are forgotten: a worker that is lost now is waited for.
    assert.equal(await pool.run('dieOnce', 'a', { signal: forever() }), 'answered a');
  }
  assert.deepEqual(told, [true, false, true, false, true]);
});

test('as long as one worker is left, jobs are taken, though no other can be started', async (t) => {
  const { pool, letStart } = await start(t, { size: 2 });
  const told: boolean[] = [];
  pool.watch((canWork) => told.push(canWork));
  letStart(false);
  assert.equal(await pool.run('dieOnce', 'a', { signal: forever() }), 'answered a');
  await eventually(() => pool.stats.lost >= 2);
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  assert.deepEqual(told, [true]);
});

test('a worker whose start hangs is given up and replaced', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const made = once(process, 'worker') as Promise<[Thread]>;
  const { pool, letStart, journal } = await start(t, { hangStart: true });
  const [thread] = await made;
  const ended = once(thread, 'exit');
  const told: boolean[] = [];
  pool.watch((canWork) => told.push(canWork));
  const ready = pool.ready();
  const waiting = pool.run('echo', 1, { signal: forever() });
  t.mock.timers.tick(60_000);
  await assert.rejects(waiting, { name: 'Refusal', reason: 'WORKER_LOST' });
  await assert.rejects(ready, (error: Error) => {
    assert.equal(String(error.cause), 'Error: worker did not start within 60000 ms');
    return true;
  });
  assert.deepEqual(told, [true, false]);

  letStart(true);
  t.mock.timers.tick(restartDelayMs(1));
  await eventually(() => pool.stats.workers === 1);
  assert.deepEqual(told, [true, false, true]);
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  await ended;
  assert.deepEqual(journal(), ['released']);
  t.mock.timers.tick(60_000);
  assert.deepEqual(pool.stats, { queued: 0, running: 0, workers: 1, lost: 1 });
});

test('a stuck worker that comes back is told to stop, releases its sessions and ends by itself', async (t) => {
  const { pool, journal } = await start(t, { taskTimeoutMs: 60 });
  await assert.rejects(pool.run('obedient', null, { signal: forever() }), { name: 'Refusal', reason: 'INTERNAL' });
  assert.equal(await pool.run('echo', 1, { signal: forever() }), 1);
  await eventually(() => journal().includes('released'));
  assert.deepEqual(journal(), ['obedient begins', 'obedient stops', 'released']);
});

test('close finishes what the pool has, refuses what comes, and releases the sessions', async (t) => {
  const { pool, journal, logged } = await start(t);
  const had = [1, 2].map(() => pool.run('sleep', 30, { signal: forever() }));
  const closed = pool.close(5000);
  await assert.rejects(pool.run('echo', 1, { signal: forever() }), { name: 'Refusal', reason: 'SHUTTING_DOWN' });
  assert.deepEqual(await Promise.all(had), ['slept', 'slept']);
  await closed;
  assert.deepEqual(journal(), ['sleep begins', 'sleep begins', 'released']);
  assert.deepEqual(pool.stats, { queued: 0, running: 0, workers: 0, lost: 0 });
  assert.deepEqual(logged, []);
});

test('close waits for the worker that loads its models, if a job does, and starts no others', async (t) => {
  const { pool, countBegun } = await start(t, { size: 3, loadMs: 100 });
  const waiting = pool.run('echo', 'answered', { signal: forever() });
  await pool.close(60_000);
  assert.equal(await waiting, 'answered');
  assert.equal(countBegun(), 1);
});

test('close does not wait for a job whose worker dies meanwhile', async (t) => {
  const { pool, journal } = await start(t);
  const lost = pool.run('dieLater', 50, { signal: forever() });
  await eventually(() => journal().length > 0);
  const closed = pool.close(2_000);
  await assert.rejects(lost, { name: 'Refusal', reason: 'WORKER_LOST' });
  await closed;
});

test('a stuck worker that is told to end again, as the pool closes, releases its sessions once', async (t) => {
  const { pool, journal } = await start(t, { taskTimeoutMs: 60 });
  await assert.rejects(pool.run('block', 500, { signal: forever() }), { name: 'Refusal', reason: 'INTERNAL' });
  await pool.close(0);
  assert.deepEqual(journal(), ['released']);
});

for (const [when, diesBefore] of [
  ['meanwhile', false],
  ['just before', true],
] as const)
  test(`close has no job wait for the worker that died ${when}, which nothing replaces`, async (t) => {
    const { pool, journal } = await start(t);
    const lost = diesBefore
      ? pool.run('die', null, { signal: forever() })
      : pool.run('dieLater', 50, { signal: forever() });
    const waiting = pool.run('echo', null, { signal: forever() });
    await (diesBefore ? lost.catch(() => undefined) : eventually(() => journal().length > 0));
    const closed = pool.close(60_000);
    for (const job of [lost, waiting]) await assert.rejects(job, { name: 'Refusal', reason: 'WORKER_LOST' });
    await closed;
  });

test('close gives up after its grace, and nobody is left without an answer', async (t) => {
  const { pool, journal } = await start(t);
  const all = [1, 2].map(() => pool.run('obedient', null, { signal: forever() }));
  const refused = all.map((job) => assert.rejects(job, { name: 'Refusal', reason: 'SHUTTING_DOWN' }));
  await pool.close(50);
  await Promise.all(refused);
  assert.deepEqual(journal(), ['obedient begins', 'obedient stops', 'released']);
});

const blockedMs = 500;
for (const [what, loadMs, run] of [
  ['load its models', blockedMs, () => undefined],
  [
    'return from native code',
    0,
    (pool) => assert.rejects(pool.run('block', blockedMs, { signal: forever() }), { reason: 'SHUTTING_DOWN' }),
  ],
] satisfies [string, number, (pool: Started['pool']) => unknown][])
  test(`close lets a worker ${what} first, however short its grace`, async (t) => {
    const { pool, journal } = await start(t, { loadMs });
    const refused = run(pool);
    await pool.close(0);
    await refused;
    assert.deepEqual(journal(), ['released']);
  });

test('the first worker is ready alone, and each that is ready brings two more', async (t) => {
  const { pool, countBegun } = await start(t, { size: 6, loadMs: 700 });
  await pool.ready();
  let others = 0;
  for (; pool.stats.workers === 1; await sleep(10)) others = countBegun() - 1;
  assert.ok(others <= 2, `${others} began together`);
  await eventually(() => pool.stats.workers === 6);
});

test('ready rejects with what kept a worker from starting, and the pool can be closed', async (t) => {
  const before = performance.now();
  const { pool, countBegun } = await start(t, { failStart: true });
  // Nobody waits for the first yet.
  await eventually(() => countBegun() === 4);
  const delays = [1, 2, 3].map(restartDelayMs);
  assert.ok(
    performance.now() - before >= delays.reduce((sum, delay) => sum + delay),
    'it is restarted in a tight loop',
  );
  await assert.rejects(pool.ready(), (error: Error) => {
    assert.equal(error.message, 'an analysis worker did not start');
    assert.match(String(error.cause), /no model here/);
    return true;
  });
  await pool.close(50);
});

const createHold = (): Hold => new Int32Array(new SharedArrayBuffer(4)).fill(1);
const letGo = (hold: Hold): void => void Atomics.store(hold, 0, 0);

test('heavy jobs wait for each other, and light ones for none of them', async (t) => {
  const { pool, journal } = await start(t, { size: 2, maxQueue: 8 });
  const signal = forever();
  const done: string[] = [];
  const hold = createHold();
  const run = (name: string, weight: number, more = {}) =>
    pool.run('weigh', { ms: 1, weight, ...more }, { signal }).then(() => done.push(name));
  const first = run('heavy', 1, { hold });
  await eventually(() => journal().length > 0);
  const others = [run('second', 0.7), run('third', 0.2)];
  await pool.run('echo', null, { signal });
  await eventually(() => pool.stats.queued === 2);
  assert.deepEqual(pool.stats, { queued: 2, running: 1, workers: 2, lost: 0 });
  // Who comes now may have to wait too, although a worker is free.
  assert.throws(() => pool.assertRoom('', 0), { name: 'Refusal', reason: 'QUEUE_FULL' });
  letGo(hold);
  await Promise.all([first, ...others]);
  assert.equal(done[0], 'heavy');
});

test('a job that waits for memory begins anew with its bytes', async (t) => {
  const starts: string[] = [];
  const { pool, journal } = await start(t, { size: 2, maxQueue: 8 });
  const call = { signal: forever(), reportStart: () => void starts.push('weigh') };
  const hold = createHold();
  const first = pool.run('weigh', { ms: 1, weight: 1, hold }, call);
  await eventually(() => journal().length > 0);
  const bytes = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)];
  const others = bytes.map((part) => pool.run('weigh', { ms: 1, weight: 0.6, bytes: part }, call));
  await pool.run('echo', null, { signal: forever() });
  await eventually(() => pool.stats.queued === 2);
  letGo(hold);
  assert.deepEqual(await Promise.all(others), [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)]);
  await first;
  assert.deepEqual(starts, ['weigh', 'weigh', 'weigh']); // each once
});

test('what a job waited for is free for others once its caller has gone', { timeout: 30_000 }, async (t) => {
  const { pool, journal } = await start(t, { size: 2, maxQueue: 8 });
  const caller = new AbortController();
  const hold = createHold();
  const first = pool.run('weigh', { ms: 1, weight: 0.5, hold }, { signal: forever() });
  await eventually(() => journal().length > 0);
  const second = pool.run('weigh', { ms: 1, weight: 1 }, { signal: caller.signal });
  await eventually(() => pool.stats.queued === 1);
  const done: string[] = [];
  const third = pool.run('weigh', { ms: 1, weight: 0.5 }, { signal: forever() }).then(() => done.push('third'));
  await eventually(() => pool.stats.queued === 2);
  caller.abort(refuse('CLIENT_CLOSED', 'gone'));
  await assert.rejects(second, { name: 'Refusal', reason: 'CLIENT_CLOSED' });
  await third;
  letGo(hold);
  await first.then(() => done.push('first'));
  assert.deepEqual(done, ['third', 'first']);
});

test('the memory of a job that took its worker along is free again', async (t) => {
  const { pool } = await start(t, { maxQueue: 8 });
  const signal = forever();
  await assert.rejects(pool.run('weigh', { ms: -1, weight: 1 }, { signal }), {
    name: 'Refusal',
    reason: 'WORKER_LOST',
  });
  assert.equal(pool.stats.lost, 2); // tried once more, though it had given back its first worker
  assert.equal(await pool.run('weigh', { ms: 1, weight: 1 }, { signal }), undefined);
});

test('a worker that served is restarted at once, one that cannot start ever later', () => {
  const delays = [0, 1, 2, 3, 9, 10, 1000].map(restartDelayMs);
  assert.deepEqual(delays, [0, 100, 200, 400, 25_600, 30_000, 30_000]);
});
