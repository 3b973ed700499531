import assert from 'node:assert/strict';
import { EventEmitter, getEventListeners } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import { pino } from 'pino';
import { limitSignal, openCall, raceSignal } from '../../../../core-server/rpc/adapters/open-call.js';
import { stateOf } from '../../../../core-server/rpc/call-state.js';
import { internalFault, noRoom, refuse } from '../../../../runtime/errors/refusal.js';
import { collectLog } from '../../../helpers/collect-log.js';

// When and why a call ends, also while the clock of the day is set.

const hourMs = 3_600_000;

function open(t: TestContext, deadlineMs: number) {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000 * hourMs });
  const monotonic = { ms: 500 };
  t.mock.method(performance, 'now', () => monotonic.ms);
  return { ...openFake(t, deadlineMs), monotonic, clock: t.mock.timers };
}

function openFake(
  t: TestContext,
  deadlineMs: number,
  { cancelled = false, isStream = false, log = pino({ level: 'silent' }) } = {},
) {
  const grpcCall = Object.assign(new EventEmitter(), {
    metadata: new Metadata(),
    cancelled,
    getPath: () => '/imageanalysis.v1.MeterReadingService/ReadMeter',
    getPeer: () => '127.0.0.1:1',
    getDeadline: () => Date.now() + deadlineMs,
  });
  const call = openCall(
    grpcCall as unknown as ServerUnaryCall<unknown, unknown>,
    { log },
    isStream ? undefined : 30_000,
  );
  t.after(() => call.close());
  return { call, grpcCall };
}

for (const [where, jumpMs] of [
  ['forward', hourMs],
  ['back', -hourMs],
] as const) {
  test(`a clock that is set ${where} does not change the time that a call has left`, (t) => {
    const { call, monotonic, clock } = open(t, 10_000);
    clock.setTime(1_000 * hourMs + jumpMs);
    monotonic.ms += 4_000;
    assert.equal(call.timeLeftMs(), 6_000);
  });

  test(`a clock that is set ${where} does not confuse a caller gone with a deadline`, (t) => {
    const gone = open(t, 10_000);
    gone.clock.setTime(1_000 * hourMs + jumpMs);
    gone.monotonic.ms += 4_000;
    gone.grpcCall.emit('cancelled');
    assert.equal((gone.call.signal.reason as { reason: string }).reason, 'CLIENT_CLOSED');
  });
}

test('a call has no more time left than the longest that it may take', (t) => {
  const { call, monotonic } = open(t, hourMs);
  monotonic.ms += 4_000;
  assert.equal(call.timeLeftMs(), 26_000);
});

test('a deadline that passed is told from a caller gone', (t) => {
  const { call, grpcCall, monotonic } = open(t, 10_000);
  monotonic.ms += 9_950;
  grpcCall.emit('cancelled');
  assert.equal((call.signal.reason as { reason: string }).reason, 'DEADLINE');
});

test('streams whose callers go at once end one per turn of the event loop, unary calls at once', async (t) => {
  const calls = [1, 2, 3].map(() => openFake(t, 10_000, { isStream: true }));
  const ended = () => calls.map(({ call }) => call.signal.aborted);
  await nextTurn();
  for (const { grpcCall } of calls) grpcCall.emit('cancelled');
  assert.deepEqual(ended(), [true, false, false]);
  // Its work has not begun.
  assert.equal(openFake(t, 10_000, { cancelled: true, isStream: true }).call.signal.aborted, true);
  const unary = openFake(t, 10_000);
  unary.grpcCall.emit('cancelled');
  assert.equal(unary.call.signal.aborted, true);
  await nextTurn();
  assert.deepEqual(ended(), [true, true, false]);
  await nextTurn();
  assert.deepEqual(ended(), [true, true, true]);
});

test('a call that was refused as its response was sent is not logged as answered, but a fault of its handler is', async (t) => {
  const { log, entries } = collectLog();
  const { call, grpcCall } = openFake(t, 10_000, { log });
  const refused = (stateOf(grpcCall.metadata).refused = noRoom());
  call.logOutcome();
  call.logOutcome(refused);
  call.logOutcome(internalFault(new Error('why')));
  call.logOutcome(refuse('INTERNAL', 'it took too long'));
  await nextTurn();
  assert.deepEqual(
    entries.map(({ msg, err }) => [msg, (err as Error | undefined)?.message]),
    [
      ['call received', undefined],
      ['call failed', 'why'],
      ['call failed', 'it took too long'],
    ],
  );
});

test('work for a signal that was aborted before ends at once, with its reason', async (t) => {
  const gone = new Error('gone');
  const limited = limitSignal(AbortSignal.abort(gone), 60_000);
  t.after(() => limited.close());
  assert.equal(limited.signal.reason, gone);
  const work = raceSignal(new Promise(() => {}), limited.signal);
  assert.equal(await Promise.race([work.catch((error: unknown) => error), nextTurn('waits')]), gone);
});

test('the signal of a stream keeps nothing of work that is done', async () => {
  const { signal } = new AbortController();
  const limited = limitSignal(signal, 60_000);
  await raceSignal(Promise.resolve(), signal);
  limited.close();
  await nextTurn();
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});
