import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServerInterceptingCallInterface,
  type ServerMethodDefinition,
  type ServiceError as GrpcError,
} from '@grpc/grpc-js';
import { pino, type Logger } from 'pino';
import { Operation } from '../../generated/imageanalysis/v1/admin.js';
import {
  MeterReadingServiceClient,
  MeterReadingServiceService,
  ReadMeterResponse,
  type ReadMeterRequest,
  type StreamReadMetersResponse,
} from '../../generated/imageanalysis/v1/meter_reading.js';
import {
  createAccessInterceptor,
  type AccessDeps,
  type AuthenticatedKey,
} from '../../core-server/access/interceptor.js';
import { parseTrustedProxies } from '../../core-server/access/trusted-proxies.js';
import { bidi } from '../../core-server/grpc/bidi.js';
import type { Call } from '../../core-server/call.js';
import { ServiceError } from '../../core-server/errors.js';
import type { HandlerOptions } from '../../core-server/run-options.js';
import { streamed } from '../../core-server/grpc/stream.js';
import { unary } from '../../core-server/grpc/unary.js';
import { markUndecodable } from '../../core-server/grpc/undecodable.js';
import { deferred } from '../helpers/deferred.js';
import { collectLog } from '../helpers/collect-log.js';
import { detailsOf, detailsOfStatus, unaryCall } from '../helpers/grpc.js';

type Handler = (
  request: ReadMeterRequest,
  call: Call,
  options?: HandlerOptions,
) => Promise<ReadMeterResponse>;

const openAccess: AccessDeps = {
  authenticate: () => Promise.resolve({ id: 'k1', operations: [] }),
  recall: () => undefined,
  consume: () => Promise.resolve(),
  log: pino({ level: 'silent' }),
  assertRoom: () => undefined,
};

interface ServeOptions {
  access?: AccessDeps;
  maxDeadlineMs?: number;
  idleMs?: number;
  maxInFlight?: number;
  closing?: AbortSignal;
  trustedProxies?: string;
  log?: Logger;
}

async function serve(t: TestContext, handler: Handler, options: ServeOptions = {}) {
  const settings = {
    maxDeadlineMs: options.maxDeadlineMs ?? 5_000,
    log: options.log ?? pino({ level: 'silent' }),
    isTrustedProxy: parseTrustedProxies(options.trustedProxies ?? ''),
    now: () => performance.now(),
    idleMs: options.idleMs ?? 5_000,
    maxInFlight: options.maxInFlight ?? 2,
    closing: options.closing ?? new AbortController().signal,
  };
  const server = new Server({
    interceptors: [createAccessInterceptor(options.access ?? openAccess)],
  });
  server.addService(markUndecodable(MeterReadingServiceService), {
    readMeter: unary(handler, settings),
    streamReadMeters: bidi(streamed(handler), settings),
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const client = new MeterReadingServiceClient(`127.0.0.1:${port}`, credentials.createInsecure());
  t.after(() => {
    client.close();
    server.forceShutdown();
  });
  return client;
}

function withKey(key = 'secret'): Metadata {
  const metadata = new Metadata();
  metadata.set('apikey', key);
  return metadata;
}

function call(client: MeterReadingServiceClient, metadata = withKey(), timeoutMs?: number) {
  const options = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
  return unaryCall<ReadMeterResponse>((done) =>
    client.readMeter({ image: Buffer.from('x') }, metadata, options, done),
  );
}

const answer = ReadMeterResponse.fromPartial({ meterNumber: '00123' });

void test('a handler that rejects answers with code, message and ErrorInfo', async (t) => {
  const client = await serve(t, () =>
    Promise.reject(
      new ServiceError('QUEUE_FULL', 'Too busy.', {
        details: { limit: '3' },
        retryAfterSeconds: 2,
      }),
    ),
  );
  await assert.rejects(call(client), (error: GrpcError) => {
    assert.equal(error.code, status.RESOURCE_EXHAUSTED);
    assert.equal(error.details, 'Too busy.');
    assert.deepEqual(detailsOf(error), {
      reason: 'QUEUE_FULL',
      domain: 'imageanalysis',
      metadata: { limit: '3' },
      retryAfterSeconds: 2,
    });
    return true;
  });
});

void test('a handler that throws something unknown answers INTERNAL without its text', async (t) => {
  const client = await serve(t, () => Promise.reject(new Error('/etc/secret broke')));
  await assert.rejects(call(client), (error: GrpcError) => {
    assert.equal(error.code, status.INTERNAL);
    assert.doesNotMatch(error.message + JSON.stringify(error.metadata.getMap()), /secret/);
    assert.equal(detailsOf(error).reason, 'INTERNAL');
    return true;
  });
});

void test('a handler that never settles is answered at the server-side deadline', async (t) => {
  let signal: AbortSignal | undefined;
  const never: Handler = (_, { signal: given }) => {
    signal = given;
    return new Promise(() => {});
  };
  const client = await serve(t, never, { maxDeadlineMs: 50 });
  await assert.rejects(call(client), (error: GrpcError) => {
    assert.equal(error.code, status.DEADLINE_EXCEEDED);
    assert.equal(
      error.details,
      'the answer was not ready within 50 ms, the most that a request may take, try again',
    );
    assert.equal(detailsOf(error).reason, 'DEADLINE');
    return true;
  });
  assert.equal(signal?.aborted, true);
});

void test("the caller's cancellation aborts the handler's signal with CLIENT_CLOSED", async (t) => {
  const entered = deferred<AbortSignal>();
  const client = await serve(t, (_, { signal }) => {
    entered.resolve(signal);
    return new Promise(() => {});
  });
  const running = client.readMeter({ image: Buffer.alloc(1) }, withKey(), () => {});
  const signal = await entered.promise;
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  running.cancel();
  await aborted;
  assert.equal((signal.reason as ServiceError).reason, 'CLIENT_CLOSED');
});

void test("the caller's own deadline aborts the handler's signal with DEADLINE", async (t) => {
  const entered = deferred<AbortSignal>();
  const client = await serve(t, (_, { signal }) => {
    entered.resolve(signal);
    return new Promise(() => {});
  });
  // Long enough for the call to arrive on a busy machine.
  const refused = assert.rejects(call(client, withKey(), 1_500));
  const signal = await entered.promise;
  await refused;
  if (!signal.aborted) await once(signal, 'abort');
  assert.equal((signal.reason as ServiceError).reason, 'DEADLINE');
});

void test('a harmless request id is kept, any other is replaced', async (t) => {
  const seen: string[] = [];
  const client = await serve(t, (_, { requestId }) => {
    seen.push(requestId);
    return Promise.resolve(answer);
  });
  for (const id of ['abc_DEF-123', 'a'.repeat(128), 'a'.repeat(129), 'no spaces']) {
    const metadata = withKey();
    metadata.set('x-request-id', id);
    await call(client, metadata);
  }
  assert.deepEqual(seen.slice(0, 2), ['abc_DEF-123', 'a'.repeat(128)]);
  for (const made of seen.slice(2)) assert.match(made, /^[0-9a-f-]{36}$/);
});

void test('the interceptor refuses before the handler runs', async (t) => {
  let handled = 0;
  const client = await serve(
    t,
    () => {
      handled += 1;
      return Promise.resolve(answer);
    },
    {
      access: {
        ...openAccess,
        authenticate: (key) =>
          key === 'face'
            ? Promise.resolve({ id: 'k2', operations: [Operation.FACE_DETECTION] })
            : key === 'good'
              ? Promise.resolve({ id: 'k3', operations: [Operation.METER_READING] })
              : Promise.reject(new ServiceError('INVALID_API_KEY', 'The API key is not valid.')),
      },
    },
  );
  const reasonOf = async (metadata: Metadata) => {
    const error: unknown = await call(client, metadata).catch((caught: unknown) => caught);
    return detailsOf(error).reason;
  };
  const twice = withKey();
  twice.add('apikey', 'other');
  assert.equal(await reasonOf(new Metadata()), 'MISSING_API_KEY');
  assert.equal(await reasonOf(twice), 'INVALID_API_KEY');
  assert.equal(await reasonOf(withKey('bad')), 'INVALID_API_KEY');
  assert.equal(await reasonOf(withKey('face')), 'KEY_NOT_ALLOWED');
  assert.equal(handled, 0);
  await call(client, withKey('good'));
  assert.equal(handled, 1);
});

void test('a key without room is refused before it is looked up, but no stream is', async (t) => {
  const apiKey = `ia_${'0'.repeat(12)}_${'s'.repeat(43)}`;
  let lookups = 0;
  const client = await serve(t, () => Promise.resolve(answer), {
    access: {
      ...openAccess,
      authenticate: (sent) => {
        lookups += 1;
        return openAccess.authenticate(sent);
      },
      assertRoom: ({ operation, keyId }) => {
        throw new ServiceError('QUEUE_FULL', `${keyId} has none for ${operation}`);
      },
    },
  });
  const error: unknown = await call(client, withKey(apiKey)).catch((caught: unknown) => caught);
  assert.equal(detailsOf(error).reason, 'QUEUE_FULL');
  assert.match(String(error), /ia_000000000000 has none for OPERATION_METER_READING/);
  assert.equal(lookups, 0);
  const stream = client.streamReadMeters(withKey(apiKey));
  stream.end();
  stream.resume();
  await once(stream, 'end');
  assert.equal(lookups, 1);
});

void test('a picture of a key known before is worked on while the store is asked, and answered after', async (t) => {
  const asked = deferred<AuthenticatedKey>();
  const handled = deferred();
  const key = { id: 'k1', operations: [] };
  const handler: Handler = (_, given) => {
    given.tellBegun();
    handled.resolve();
    return Promise.resolve(answer);
  };
  const access = { ...openAccess, recall: () => key, authenticate: () => asked.promise };
  const client = await serve(t, handler, { access });
  let isAnswered = false;
  const answered = call(client).then(() => (isAnswered = true));
  await handled.promise;
  // A second call goes all the way there and back, and the first has no answer still.
  await assert.rejects(call(client, new Metadata()));
  assert.equal(isAnswered, false);
  asked.resolve(key);
  assert.equal(await answered, true);
});

void test('a key that was revoked since gets no answer, and its work ends', async (t) => {
  const revoked = new ServiceError('INVALID_API_KEY', 'The API key is not valid.');
  const outcomes = ['answers', 'refuses', 'is slow'];
  const method = '/imageanalysis.v1.MeterReadingService/ReadMeter';
  for (const outcome of outcomes) {
    const ended = deferred();
    const handled = deferred();
    const handler: Handler = (_, { signal, tellBegun }) => {
      signal.addEventListener('abort', () => ended.resolve(), { once: true });
      tellBegun();
      handled.resolve();
      if (outcome === 'answers') return Promise.resolve(answer);
      if (outcome === 'refuses') return Promise.reject(new ServiceError('NO_FACE', 'None.'));
      return new Promise(() => {});
    };
    const logged = collectLog();
    const client = await serve(t, handler, {
      log: logged.log,
      access: {
        ...openAccess,
        recall: () => ({ id: 'k1', operations: [] }),
        authenticate: () => handled.promise.then(() => Promise.reject(revoked)),
      },
    });
    await assert.rejects(call(client), (error: GrpcError) => {
      assert.equal(detailsOf(error).reason, 'INVALID_API_KEY', outcome);
      return true;
    });
    if (outcome === 'is slow') await ended.promise;
    // The one line of the call tells what its caller was told.
    const { msg, reason } = await logged.waitFor(({ duration_ms: ms }) => ms !== undefined);
    assert.deepEqual([msg, reason], ['call refused', 'INVALID_API_KEY'], outcome);
    await assert.rejects(call(client, new Metadata()));
    assert.equal(
      logged.entries.filter((entry) => entry['method'] === method && 'duration_ms' in entry).length,
      1,
    );
  }
});

void test('only the work on one picture begins before the store is asked', async () => {
  const begins = async (path: string, requestStream: boolean, recalled: Operation) => {
    const access = {
      ...openAccess,
      recall: () => ({ id: 'k1', operations: [recalled] }),
      authenticate: () => new Promise<never>(() => {}),
    };
    const wire = {
      start: (listener: { onReceiveMetadata(metadata: Metadata): void }) =>
        listener.onReceiveMetadata(withKey()),
      getDeadline: () => Infinity,
      sendStatus: () => {},
    } as unknown as ServerInterceptingCallInterface;
    const method = { path, requestStream } as ServerMethodDefinition<unknown, unknown>;
    let hasBegun = false;
    const onReceiveMetadata = () => (hasBegun = true);
    createAccessInterceptor(access)(method, wire).start({ onReceiveMetadata } as never);
    await setImmediate();
    return hasBegun;
  };
  const { FACE_DETECTION, METER_READING, SCORE_CONFIG } = Operation;
  const service = '/imageanalysis.v1.';
  const setScore = `${service}ScoreConfigService/SetDetectionScore`;
  const streamFaces = `${service}FaceDetectionService/StreamDetectFaces`;
  const readMeter = `${service}MeterReadingService/ReadMeter`;
  assert.equal(await begins(readMeter, false, METER_READING), true);
  assert.equal(await begins(readMeter, false, FACE_DETECTION), false);
  assert.equal(await begins(setScore, false, SCORE_CONFIG), false);
  assert.equal(await begins(streamFaces, true, FACE_DETECTION), false);
});

void test('a fault in the check of the key is logged with the id of the request', async (t) => {
  const { log, entries } = collectLog();
  const cause = new Error('the disk is gone');
  const authenticate = () =>
    Promise.reject(new ServiceError('SHUTTING_DOWN', 'The store is away.', { cause }));
  const handler = () => Promise.resolve(answer);
  const client = await serve(t, handler, { access: { ...openAccess, authenticate, log } });
  const metadata = withKey();
  metadata.set('x-request-id', 'abc-123');
  await assert.rejects(call(client, metadata));
  const [{ request_id: requestId, reason, err } = {}] = entries;
  assert.deepEqual([requestId, reason], ['abc-123', 'SHUTTING_DOWN']);
  assert.match(JSON.stringify(err), /the disk is gone/);
});

void test('a caller cannot name its own key id, and handlers never see the key', async (t) => {
  let keyId: string | undefined;
  const client = await serve(t, (_, given) => {
    keyId = given.keyId;
    return Promise.resolve(answer);
  });
  const metadata = withKey();
  metadata.set('x-internal-key-id', 'forged');
  await call(client, metadata);
  assert.equal(keyId, 'k1');
});

void test('only a trusted proxy speaks for the address of its client', async (t) => {
  const peerOf = async (trustedProxies: string, forwardedFor: string) => {
    let peer = '';
    const handler: Handler = (_, given) => {
      peer = given.peer;
      return Promise.resolve(answer);
    };
    const client = await serve(t, handler, { trustedProxies });
    const metadata = withKey();
    metadata.set('x-forwarded-for', forwardedFor);
    await call(client, metadata);
    return peer;
  };
  assert.equal(await peerOf('127.0.0.0/8', '203.0.113.7'), '203.0.113.7');
  assert.equal(await peerOf('127.0.0.0/8', '2001:db8::1'), '2001:db8::1');
  assert.equal(await peerOf('127.0.0.0/8', 'no address'), '127.0.0.1');
  assert.equal(await peerOf('10.0.0.0/8', '203.0.113.7'), '127.0.0.1');
});

void test('a list of proxies with a mistake is refused', () => {
  for (const list of ['10.0.0.0/33', 'localhost', '10.0.0.0/x', '::1/129', '10.0.0.0/']) {
    assert.throws(() => parseTrustedProxies(list), /want one such as/);
  }
});

void test('a stream answers every item, refusals too, and ends after the last', async (t) => {
  const client = await serve(t, ({ image }, _, options) => {
    assert.equal(options?.wait, 'queue');
    return image.length === 0
      ? Promise.reject(new ServiceError('EMPTY_IMAGE', 'image is empty.'))
      : Promise.resolve(answer);
  });
  const stream = client.streamReadMeters(withKey());
  stream.write({ id: 'a', request: { image: Buffer.alloc(1) } });
  stream.write({ id: 'b', request: { image: Buffer.alloc(0) } });
  stream.write({ id: 'c', request: undefined });
  stream.write({ id: 'd'.repeat(129), request: { image: Buffer.alloc(1) } });
  stream.end();
  const results = new Map<string, string>();
  for await (const item of stream as AsyncIterable<StreamReadMetersResponse>) {
    const result = item.result;
    results.set(
      item.id,
      result?.$case === 'error'
        ? detailsOfStatus(result.value).reason
        : (result?.value.meterNumber ?? ''),
    );
  }
  assert.deepEqual(
    [...results].sort(([a], [b]) => a.localeCompare(b)),
    [
      ['a', '00123'],
      ['b', 'EMPTY_IMAGE'],
      ['c', 'MISSING_FIELD'],
      ['d'.repeat(128), 'INVALID_FIELD'],
    ],
  );
});

void test("a fault behind a stream's item is logged with its cause", async (t) => {
  const collected = collectLog();
  const cause = new Error('the disk is gone');
  const handler = () =>
    Promise.reject(new ServiceError('SHUTTING_DOWN', 'the store is away, try again', { cause }));
  const client = await serve(t, handler, { log: collected.log });
  const stream = client.streamReadMeters(withKey());
  stream.resume();
  stream.write({ id: 'a', request: { image: Buffer.alloc(1) } });
  stream.end();
  await once(stream, 'end');
  const { err } = await collected.waitFor(({ within }) => within === 'stream');
  assert.match(JSON.stringify(err), /the disk is gone/);
});

void test('a stream holds no more requests in work than allowed', async (t) => {
  let running = 0;
  let most = 0;
  const client = await serve(
    t,
    async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return answer;
    },
    { maxInFlight: 3 },
  );
  const stream = client.streamReadMeters(withKey());
  for (let i = 0; i < 30; i += 1) {
    stream.write({ id: String(i), request: { image: Buffer.alloc(1) } });
  }
  stream.end();
  let answers = 0;
  stream.on('data', () => (answers += 1));
  await once(stream, 'end');
  assert.equal(answers, 30);
  assert.equal(most, 3);
});

void test('an idle stream is ended with DEADLINE', async (t) => {
  const client = await serve(t, () => Promise.resolve(answer), { idleMs: 50 });
  const stream = client.streamReadMeters(withKey());
  stream.resume();
  const error = await new Promise<GrpcError>((resolve) => stream.on('error', resolve));
  assert.equal(error.code, status.DEADLINE_EXCEEDED);
  assert.equal(error.details, 'the stream was idle for 50 ms, go on in a new stream');
});

void test("a stream's item that takes too long is answered, and the stream goes on", async (t) => {
  const client = await serve(
    t,
    ({ image }, { signal }) =>
      image.length > 1
        ? new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error)),
          )
        : Promise.resolve(answer),
    { maxDeadlineMs: 50 },
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

void test("a cancelled stream aborts its items' signals", async (t) => {
  const entered = deferred<AbortSignal>();
  const client = await serve(t, (_, { signal }) => {
    entered.resolve(signal);
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  });
  const stream = client.streamReadMeters(withKey());
  stream.on('error', () => {});
  stream.resume();
  stream.write({ id: 'a', request: { image: Buffer.alloc(1) } });
  const signal = await entered.promise;
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  stream.cancel();
  await aborted;
  assert.equal((signal.reason as ServiceError).reason, 'CLIENT_CLOSED');
});

void test('bytes that are no message are refused, alone and in a stream', async (t) => {
  const client = await serve(t, () => Promise.resolve(ReadMeterResponse.fromPartial({})));
  const bytes = Buffer.from([0x0a, 0xff, 0xff]);
  const same = (value: Buffer): Buffer => value;
  const { readMeter, streamReadMeters } = MeterReadingServiceService;
  const isRefused = (error: unknown) => detailsOf(error).reason === 'INVALID_FIELD';
  await assert.rejects(
    unaryCall((done) =>
      client.makeUnaryRequest(readMeter.path, same, same, bytes, withKey(), done),
    ),
    isRefused,
  );
  const stream = client.makeBidiStreamRequest(streamReadMeters.path, same, same, withKey());
  stream.write(bytes);
  const [error] = (await once(stream, 'error')) as [GrpcError];
  assert.equal(error.code, status.INVALID_ARGUMENT);
  assert.ok(isRefused(error));
});

void test('a caller that goes away with answers unread leaves no promise rejected', async (t) => {
  const large = ReadMeterResponse.fromPartial({ meterNumber: '1'.repeat(100_000) });
  let answered = 0;
  const client = await serve(
    t,
    () => {
      answered += 1;
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
  while (answered < 40) await new Promise((resolve) => setTimeout(resolve, 5));
  stream.cancel();
  await call(client); // another call ends after the cancellation has arrived
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(unhandled, []);
});

void test('a closing service ends an idle stream with SHUTTING_DOWN', async (t) => {
  const closing = new AbortController();
  const client = await serve(t, () => Promise.resolve(answer), { closing: closing.signal });
  const stream = client.streamReadMeters(withKey());
  stream.write({ id: 'a', request: { image: Buffer.alloc(1) } });
  stream.once('data', () => closing.abort());
  stream.resume();
  const error = await new Promise<GrpcError>((resolve) => stream.on('error', resolve));
  assert.equal(detailsOf(error).reason, 'SHUTTING_DOWN');
});

void test('a closing service answers what a stream has in work, and takes no more', async (t) => {
  const closing = new AbortController();
  const entered = deferred();
  const release = deferred();
  const seen: number[] = [];
  const client = await serve(
    t,
    async ({ image }) => {
      seen.push(image.length);
      entered.resolve();
      await release.promise;
      return answer;
    },
    { closing: closing.signal, maxInFlight: 1 },
  );
  const stream = client.streamReadMeters(withKey());
  for (const length of [1, 2, 3]) {
    stream.write({ id: String(length), request: { image: Buffer.alloc(length) } });
  }
  const answers: string[] = [];
  stream.on('data', ({ id }: StreamReadMetersResponse) => answers.push(id));
  await entered.promise;
  closing.abort();
  release.resolve();
  const error = await new Promise<GrpcError>((resolve) => stream.on('error', resolve));
  assert.equal(detailsOf(error).reason, 'SHUTTING_DOWN');
  assert.deepEqual([answers, seen], [['1'], [1]]);
});
