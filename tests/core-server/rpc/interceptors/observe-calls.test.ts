import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { deferred } from '../../../helpers/deferred.js';
import { addressOf, serve } from '../served-calls.js';

test('a call that grpc-js ends at its deadline is counted as DEADLINE', async (t) => {
  const counted = deferred<{ readonly code: string; readonly reason: string }>();
  const client = await serve(t, () => new Promise(() => {}), { callEnded: counted.resolve });
  const session = connect(`http://${addressOf(client)}`);
  t.after(() => session.destroy());
  // Its message does not come, so that nothing but grpc-js can answer.
  const stream = session.request({
    ':method': 'POST',
    ':path': '/imageanalysis.v1.MeterReadingService/ReadMeter',
    'content-type': 'application/grpc',
    te: 'trailers',
    apikey: 'secret',
    'grpc-timeout': '1n',
  });
  stream.resume();
  await once(stream, 'response');
  stream.end();
  const { code, reason } = await counted.promise;
  assert.deepEqual([code, reason], ['DEADLINE_EXCEEDED', 'DEADLINE']);
});
