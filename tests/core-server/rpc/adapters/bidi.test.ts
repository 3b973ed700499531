import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import {
  ReadMeterResponse,
  type StreamReadMetersResponse,
} from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { type Refusal, refuse } from '../../../../runtime/errors/refusal.js';
import { collectLog } from '../../../helpers/collect-log.js';
import { deferred } from '../../../helpers/deferred.js';
import { detailsOf, detailsOfStatus } from '../../../helpers/net/grpc.js';
import { answer, call, countByTurn, openAccess, serve, withKey } from '../served-calls.js';

test('a stream answers every item, refusals too, and ends after the last', async (t) => {
  const client = await serve(t, ({ image }, { wait }) => {
    assert.equal(wait, 'queue');
    return image.length === 0 ? Promise.reject(refuse('EMPTY_IMAGE', 'image is empty.')) : Promise.resolve(answer);
  });
  const stream = client.streamReadMeters(withKey());
  stream.write({ id: 'a', request: { image: Buffer.alloc(1) } });
  stream.write({ id: 'b', request: { image: Buffer.alloc(0) } });
  stream.write({ id: 'c', request: undefined });
  for (const id of ['d'.repeat(129), 'e'.repeat(128)]) stream.write({ id, request: { image: Buffer.alloc(1) } });
  stream.end();
  assert.deepEqual(await outcomesOf(stream), {
    a: '00123',
    b: 'EMPTY_IMAGE',
    c: 'MISSING_FIELD',
    ['d'.repeat(128)]: 'INVALID_FIELD',
    ['e'.repeat(128)]: '00123',
  });
});

test('a stream that has ended listens no more for the end of the core', async (t) => {
  const closing = new AbortController();
  const client = await serve(t, () => Promise.resolve(answer), { closing });
  const before = getEventListeners(closing.signal, 'abort').length;
  const stream = client.streamReadMeters(withKey()).resume();
  stream.end();
  await once(stream, 'end');
  assert.equal(getEventListeners(closing.signal, 'abort').length, before);
});

test('a stream is read no further than a request beyond those in progress', { timeout: 20_000 }, async (t) => {
  const client = await serve(t, () => new Promise(() => {}), { maxInFlight: 1 });
  const stream = client.streamReadMeters(withKey());
  stream.on('error', () => undefined);
  let taken = 0;
  const send = (): void =>
    void stream.write({ id: 'a', request: { image: Buffer.alloc(2 ** 20) } }, (error?: Error | null) => {
      if (error) return;
      taken += 1;
      send();
    });
  send();
  for (let before = -1; taken < 2 || taken > before; await sleep(300)) before = taken;
  // In progress, and read ahead; 16 more by grpc-js's default.
  assert.ok(taken <= 4, `${taken} were taken`);
  stream.cancel();
});

test('requests that are refused at once are begun one per turn of the event loop', { timeout: 20_000 }, async (t) => {
  const begun = countByTurn(t);
  const client = await serve(t, () => {
    begun.note();
    return Promise.reject(refuse('EMPTY_IMAGE', 'image is empty.'));
  });
  const streams = [client.streamReadMeters(withKey()), client.streamReadMeters(withKey())];
  for (const stream of streams) {
    for (let i = 0; i < 500; i += 1) stream.write({ id: String(i), request: { image: Buffer.alloc(0) } });
    stream.end();
  }
  for (const stream of streams) assert.equal(Object.keys(await outcomesOf(stream)).length, 500);
  // Two where the count stands between their turns.
  assert.ok(begun.most() <= 2, `${begun.most()} in one turn`);
  const timers = process.getActiveResourcesInfo().filter((what) => what === 'Timeout');
  assert.ok(timers.length < 100, `${timers.length} time limits outlive their requests`);
});

test('a key that was revoked gets no more answers on an open stream, and its work ends', async (t) => {
  const entered = deferred<AbortSignal>();
  const revoked = refuse('INVALID_API_KEY', 'The API key is not valid.');
  let isRevoked = false;
  const client = await serve(
    t,
    ({ image }, { signal }) => {
      if (image.length === 1) return Promise.resolve(answer);
      entered.resolve(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
    {
      access: {
        ...openAccess,
        authenticate: (...sent) => (isRevoked ? Promise.reject(revoked) : openAccess.authenticate(...sent)),
      },
    },
  );
  const stream = client.streamReadMeters(withKey());
  stream.write({ id: 'before', request: { image: Buffer.alloc(1) } });
  const [first] = (await once(stream, 'data')) as [StreamReadMetersResponse];
  assert.deepEqual([first.id, first.result?.$case], ['before', 'response']);
  const answered = t.mock.fn();
  stream.on('data', answered);
  stream.write({ id: 'in work', request: { image: Buffer.alloc(2) } });
  await entered.promise;
  isRevoked = true;
  stream.write({ id: 'after', request: { image: Buffer.alloc(1) } });
  const [error] = (await once(stream, 'error')) as [GrpcError];
  assert.equal(detailsOf(error).reason, 'INVALID_API_KEY');
  assert.equal(answered.mock.callCount(), 0);
  assert.equal((await entered.promise).aborted, true);
});

test('each request of a stream counts, and one too many is refused alone', async (t) => {
  let counted = 0;
  const client = await serve(t, () => Promise.resolve(answer), {
    maxInFlight: 1,
    access: {
      ...openAccess,
      consume: () => {
        counted += 1;
        return counted === 2 ? Promise.reject(refuse('RATE_LIMITED', 'Enough.')) : Promise.resolve();
      },
    },
  });
  const stream = client.streamReadMeters(withKey());
  for (const id of ['a', 'b', 'c']) stream.write({ id, request: { image: Buffer.alloc(1) } });
  stream.end();
  assert.deepEqual(await outcomesOf(stream), { a: '00123', b: 'RATE_LIMITED', c: '00123' });
  assert.equal(counted, 3);
});

test('a store that cannot tell whether the key is valid refuses one request, not the stream', async (t) => {
  const faults = [
    () => Promise.reject(refuse('STORE_UNAVAILABLE', 'The store is away.')),
    () => new Promise<never>(() => {}), // until the deadline of the request
  ];
  let opened = false;
  const client = await serve(t, () => Promise.resolve(answer), {
    maxInFlight: 1,
    maxDeadlineMs: 500,
    access: {
      ...openAccess,
      authenticate: (...sent) => {
        const fault = opened ? faults.shift() : undefined;
        opened = true;
        return fault?.() ?? openAccess.authenticate(...sent);
      },
    },
  });
  const stream = client.streamReadMeters(withKey());
  for (const id of ['a', 'b', 'c']) stream.write({ id, request: { image: Buffer.alloc(1) } });
  stream.end();
  assert.deepEqual(await outcomesOf(stream), { a: 'STORE_UNAVAILABLE', b: 'DEADLINE', c: '00123' });
});

test("a fault behind a stream's item is logged with its cause", async (t) => {
  const collected = collectLog();
  const cause = new Error('the disk is gone');
  const handler = () => Promise.reject(refuse('STORE_UNAVAILABLE', 'the store is away, try again', { cause }));
  const client = await serve(t, handler, { log: collected.log });
  const stream = client.streamReadMeters(withKey());
  stream.resume();
  stream.write({ id: 'a', request: { image: Buffer.alloc(1) } });
  stream.end();
  await once(stream, 'end');
  const { err } = await collected.waitFor(({ within }) => within === 'stream');
  assert.match(JSON.stringify(err), /the disk is gone/);
  // The stream itself went well.
  await collected.waitFor(({ msg }) => msg === 'call answered');
});

test('an idle stream is ended with DEADLINE', async (t) => {
  const client = await serve(t, () => Promise.resolve(answer), { idleMs: 50 });
  const stream = client.streamReadMeters(withKey());
  stream.resume();
  const error = await new Promise<GrpcError>((resolve) => stream.on('error', resolve));
  assert.equal(error.code, status.DEADLINE_EXCEEDED);
  assert.equal(error.details, 'the stream was idle for 50 ms, go on in a new stream');
});

test('a stream that has a request in work is not idle, however long that takes', async (t) => {
  const idleMs = 50;
  const client = await serve(
    t,
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 4 * idleMs));
      return answer;
    },
    { idleMs },
  );
  const stream = client.streamReadMeters(withKey());
  stream.write({ id: 'a', request: { image: Buffer.alloc(1) } });
  stream.end();
  assert.deepEqual(await outcomesOf(stream), { a: '00123' });
});

test("a stream's item that takes too long is answered, and the stream goes on", async (t) => {
  const client = await serve(
    t,
    ({ image }, { signal }) =>
      image.length > 1
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        : Promise.resolve(answer),
    { maxDeadlineMs: 500 },
  );
  const stream = client.streamReadMeters(withKey());
  stream.write({ id: 'slow', request: { image: Buffer.alloc(2) } });
  stream.write({ id: 'fast', request: { image: Buffer.alloc(1) } });
  stream.end();
  const cases = new Map<string, string | undefined>();
  for await (const item of stream as AsyncIterable<StreamReadMetersResponse>) {
    cases.set(item.id, item.result?.$case);
  }
  assert.deepEqual(Object.fromEntries(cases), { slow: 'error', fast: 'response' });
});

test("a cancelled stream aborts its items' signals", async (t) => {
  const entered = deferred<AbortSignal>();
  const client = await serve(t, (_, { signal }) => {
    entered.resolve(signal);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const stream = client.streamReadMeters(withKey());
  stream.on('error', () => {});
  stream.resume();
  stream.write({ id: 'a', request: { image: Buffer.alloc(1) } });
  const signal = await entered.promise;
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  stream.cancel();
  await aborted;
  assert.equal((signal.reason as Refusal).reason, 'CLIENT_CLOSED');
});

test('a caller that goes away with answers unread leaves no promise rejected', async (t) => {
  const large = ReadMeterResponse.fromPartial({ meterNumber: '1'.repeat(100_000) });
  let answered = 0;
  const allAnswered = deferred();
  const client = await serve(
    t,
    () => {
      answered += 1;
      if (answered === 40) allAnswered.resolve();
      return Promise.resolve(large);
    },
    { maxInFlight: 100 },
  );
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));

  const stream = client.streamReadMeters(withKey());
  stream.on('error', () => {});
  for (let i = 0; i < 40; i += 1) {
    stream.write({ id: String(i), request: { image: Buffer.alloc(1) } });
  }
  await allAnswered.promise;
  stream.cancel();
  await call(client); // another call ends after the cancellation has arrived
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(unhandled, []);
});

/** What was answered, by id: the meter number, or the reason of the refusal. */
async function outcomesOf(
  stream: AsyncIterable<StreamReadMetersResponse>,
): Promise<Record<string, string | undefined>> {
  const outcomes: Record<string, string | undefined> = {};
  for await (const { id, result } of stream) {
    outcomes[id] = result?.$case === 'error' ? detailsOfStatus(result.value).reason : result?.value.meterNumber;
  }
  return outcomes;
}
