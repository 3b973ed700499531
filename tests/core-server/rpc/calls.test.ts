import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { credentials, type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import type { AccessDependencies } from '../../../core-server/rpc/interceptors/check-keys.js';
import {
  MeterReadingServiceClient,
  MeterReadingServiceService,
  ReadMeterResponse,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import { invalidField, refuse } from '../../../runtime/errors/refusal.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { collectLog } from '../../helpers/collect-log.js';
import { detailsOf, unaryCall } from '../../helpers/net/grpc.js';
import { answer, call, type Handler, maxPictureBytes, openAccess, serve, withKey } from './served-calls.js';

test('a handler that rejects answers with code, message and ErrorInfo', async (t) => {
  const client = await serve(t, () =>
    Promise.reject(refuse('QUEUE_FULL', 'Too busy.', { details: { limit: '3' }, retryAfterSeconds: 2 })),
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
    assert.deepEqual(error.metadata.get('grpc-retry-pushback-ms'), ['2000']);
    return true;
  });
});

test('a client with a retry policy tries again after a short delay, and is refused at once for a long one', async (t) => {
  let tries = 0;
  const plain = await serve(t, () =>
    Promise.reject(refuse('RATE_LIMITED', 'Too often.', { retryAfterSeconds: tries++ === 0 ? 0 : 6 })),
  );
  const [initialBackoff, maxBackoff, retryableStatusCodes] = ['0.1s', '1s', ['RESOURCE_EXHAUSTED']];
  const retryPolicy = { maxAttempts: 5, initialBackoff, maxBackoff, backoffMultiplier: 2, retryableStatusCodes };
  const client = new MeterReadingServiceClient(plain.getChannel().getTarget(), credentials.createInsecure(), {
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [], methodConfig: [{ name: [{}], retryPolicy }] }),
  });
  t.after(() => client.close());
  await assert.rejects(call(client, withKey(), 5_000), (error: GrpcError) => {
    const { reason, retryAfterSeconds } = detailsOf(error);
    assert.deepEqual([reason, retryAfterSeconds, tries], ['RATE_LIMITED', 6, 2]);
    return true;
  });
});

test('a handler that throws something unknown answers INTERNAL without its text', async (t) => {
  const client = await serve(t, () => Promise.reject(new Error('/etc/secret broke')));
  await assert.rejects(call(client), (error: GrpcError) => {
    assert.equal(error.code, status.INTERNAL);
    assert.doesNotMatch(error.message + JSON.stringify(error.metadata.getMap()), /secret/);
    assert.equal(detailsOf(error).reason, 'INTERNAL');
    return true;
  });
});

test('a handler that never settles is answered at the server-side deadline', async (t) => {
  let signal: AbortSignal | undefined;
  const never: Handler = (_, { signal: given }) => {
    signal = given;
    return new Promise(() => {});
  };
  const client = await serve(t, never, { maxDeadlineMs: 50 });
  await assert.rejects(call(client), (error: GrpcError) => {
    assert.equal(error.code, status.DEADLINE_EXCEEDED);
    assert.equal(error.details, 'the response was not ready within 50 ms, the maximum for a request, try again');
    assert.equal(detailsOf(error).reason, 'DEADLINE');
    return true;
  });
  assert.equal(signal?.aborted, true);
});

test('a harmless request id is kept, any other is replaced', async (t) => {
  const seen: string[] = [];
  const client = await serve(t, (_, { log }) => {
    seen.push(String(log.bindings()['request_id']));
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

test('only a trusted proxy speaks for the address of its client', async (t) => {
  const addressOf = async (trustedProxies: string, forwardedFor: string) => {
    let address = '';
    const handler: Handler = (_, given) => {
      address = given.clientAddress;
      return Promise.resolve(answer);
    };
    let lookedUpFor = '';
    const authenticate: AccessDependencies['authenticate'] = (sent, caller) => {
      lookedUpFor = caller;
      return openAccess.authenticate(sent, caller);
    };
    const client = await serve(t, handler, { trustedProxies, access: { ...openAccess, authenticate } });
    const metadata = withKey();
    metadata.set('x-forwarded-for', forwardedFor);
    await call(client, metadata);
    assert.equal(lookedUpFor, callerAddress(address));
    return address;
  };
  assert.equal(await addressOf('127.0.0.0/8', '203.0.113.7'), '203.0.113.7');
  assert.equal(await addressOf('127.0.0.0/8', '2001:db8::1'), '2001:db8::1');
  assert.equal(await addressOf('127.0.0.0/8', 'no address'), '127.0.0.1');
  assert.equal(await addressOf('10.0.0.0/8', '203.0.113.7'), '127.0.0.1');
});

test('the line of a refused call has the reason and the field at fault', async (t) => {
  const logged = collectLog();
  const refusal = invalidField('expected_unit', 'stone', 'm3');
  const client = await serve(t, () => Promise.reject(refusal), { log: logged.log });
  await assert.rejects(call(client));
  const line = await logged.waitFor(({ msg }) => msg === 'call refused');
  assert.deepEqual([line['reason'], line['field']], ['INVALID_FIELD', 'expected_unit']);
  assert.doesNotMatch(JSON.stringify(line), /stone/);
});

test('bytes that are no message are refused, alone and in a stream', async (t) => {
  const client = await serve(t, () => Promise.resolve(ReadMeterResponse.fromPartial({})));
  const bytes = Buffer.from([0x0a, 0xff, 0xff]);
  const same = (value: Buffer): Buffer => value;
  const { readMeter, streamReadMeters } = MeterReadingServiceService;
  const isRefused = (error: unknown) => detailsOf(error).reason === 'INVALID_FIELD';
  await assert.rejects(
    unaryCall((done) => client.makeUnaryRequest(readMeter.path, same, same, bytes, withKey(), done)),
    isRefused,
  );
  const stream = client.makeBidiStreamRequest(streamReadMeters.path, same, same, withKey());
  stream.write(bytes);
  const [error] = (await once(stream, 'error')) as [GrpcError];
  assert.equal(error.code, status.INVALID_ARGUMENT);
  assert.ok(isRefused(error));
});

test('a message may have 64 KiB beside the largest picture, and not a byte more', async (t) => {
  const client = await serve(t, () => Promise.resolve(answer));
  // Of them, the picture's tag and length take 5.
  const send = (bytes: number) =>
    unaryCall((done) => client.readMeter({ image: Buffer.alloc(bytes - 5) }, withKey(), done));
  const most = maxPictureBytes + 64 * 1024;
  await send(most);
  await assert.rejects(send(most + 1), (error) => {
    const { reason, metadata } = detailsOf(error);
    assert.deepEqual([reason, metadata], ['BODY_TOO_LARGE', { field: 'message', limit: String(most) }]);
    return true;
  });
});
