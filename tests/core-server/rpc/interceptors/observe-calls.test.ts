import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { test, type TestContext } from 'node:test';
import type { Logger } from 'pino';
import { collectLog } from '../../../helpers/collect-log.js';
import { deferred } from '../../../helpers/deferred.js';
import { unaryCall } from '../../../helpers/net/grpc.js';
import { grpcFrame } from '../../../helpers/net/grpc-frame.js';
import { addressOf, openAccess, serve } from '../served-calls.js';

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly log?: Logger;
}

type OpenCall = Awaited<ReturnType<typeof openCall>>;

/** Opens a call of ReadMeter, without its message, over a connection of its own. */
async function openCall(t: TestContext, { headers = {}, ...options }: CallOptions = {}) {
  const [counted, admitted] = [deferred<{ readonly code: string; readonly reason: string }>(), deferred()];
  const access = { ...openAccess, consume: () => Promise.resolve(admitted.resolve()) };
  const client = await serve(t, () => new Promise(() => {}), { callEnded: counted.resolve, access, ...options });
  const session = connect(`http://${addressOf(client)}`);
  t.after(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': '/imageanalysis.v1.MeterReadingService/ReadMeter',
    'content-type': 'application/grpc',
    te: 'trailers',
    apikey: 'secret',
    ...headers,
  });
  stream.on('error', () => undefined).resume();
  return { counted: counted.promise, admitted: admitted.promise, session, stream };
}

test('calls of the health service are not counted', async (t) => {
  const callEnded = t.mock.fn();
  const client = await serve(t, () => Promise.reject(new Error('nobody calls it')), { callEnded });
  const same = (bytes: Buffer) => bytes;
  await unaryCall((done) => client.makeUnaryRequest('/grpc.health.v1.Health/Check', same, same, Buffer.alloc(0), done));
  assert.equal(callEnded.mock.callCount(), 0);
});

test('a call that grpc-js ends at its deadline is counted as DEADLINE', async (t) => {
  // Its message does not come, so that nothing but grpc-js can answer.
  const { counted, stream } = await openCall(t, { headers: { 'grpc-timeout': '1n' } });
  await once(stream, 'response');
  stream.end();
  const { code, reason } = await counted;
  assert.deepEqual([code, reason], ['DEADLINE_EXCEEDED', 'DEADLINE']);
});

for (const [how, leave] of Object.entries({
  'ends the call as Node.js cancels one': ({ stream }: OpenCall) => stream.end(),
  'resets the call': ({ stream }: OpenCall) => stream.close(constants.NGHTTP2_CANCEL),
  'ends the connection': ({ session }: OpenCall) => session.destroy(),
}))
  test(`a call whose caller ${how} in the middle of its message is CLIENT_CLOSED in metrics and log`, async (t) => {
    const { log, entries } = collectLog();
    const call = await openCall(t, { log });
    call.stream.write(grpcFrame(Buffer.from('x'), { length: 9 }));
    await call.admitted;
    leave(call);
    const { code, reason } = await call.counted;
    assert.deepEqual([code, reason], ['CANCELLED', 'CLIENT_CLOSED']);
    assert.deepEqual(
      entries.map((line) => line['reason']),
      ['CLIENT_CLOSED'],
    );
  });
