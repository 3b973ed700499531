import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { ReadMeterResponse } from '../../../generated/imageanalysis/v1/meter_reading.js';
import { freeHttp2Streams } from '../../../runtime/node-patches/free-http2-streams.js';
import { collectGarbage } from '../../../runtime/node-patches/v8-flags.js';
import { deferred } from '../../helpers/deferred.js';
import { eventually } from '../../helpers/eventually.js';
import { assertYoungGarbage } from '../../helpers/garbage.js';
import { unaryCall } from '../../helpers/net/grpc.js';
import { answer, serve, withKey } from './served-calls.js';

test('what a call held is garbage that young collections free', async (t) => {
  // Of the client, in the same process.
  freeHttp2Streams();
  const client = await serve(t, () => Promise.resolve(answer));
  const image = Buffer.alloc(200_000);
  await assertYoungGarbage(() => unaryCall((done) => client.readMeter({ image }, withKey(), done)), image.length);
  const timers = process.getActiveResourcesInfo().filter((what) => what === 'Timeout');
  assert.ok(timers.length < 10, `${timers.length} time limits outlive their calls`);
});

test('the core has a request that waits once, without the chunks that it came in', async (t) => {
  freeHttp2Streams();
  const waiting = deferred<ReadMeterResponse>();
  let begun = 0;
  const client = await serve(t, () => {
    begun += 1;
    return waiting.promise;
  });
  const image = Buffer.alloc(2 ** 20);
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const calls = Array.from({ length: 40 }, () => unaryCall((done) => client.readMeter({ image }, withKey(), done)));
  await eventually(() => begun === calls.length);
  await eventually(() => {
    collectGarbage();
    // The client has it twice.
    return process.memoryUsage().arrayBuffers - before < 3.5 * calls.length * image.length;
  });
  waiting.resolve(answer);
  await Promise.all(calls);
});

test('the picture of a request is freed once it is answered, in a bulk stream too', async (t) => {
  const pictures: Uint8Array[] = [];
  const client = await serve(t, ({ image }) => {
    assert.ok(image);
    pictures.push(image);
    return Promise.resolve(answer);
  });
  const image = Buffer.alloc(300_000);
  await unaryCall((done) => client.readMeter({ image }, withKey(), done));
  // The core ends it as it closes, which is before the stream would be cancelled.
  const stream = client.streamReadMeters(withKey()).on('error', () => undefined);
  t.after(() => stream.cancel());
  stream.write({ id: 'a', request: { image } });
  await once(stream, 'data');
  await eventually(() => pictures.every(({ length }) => length === 0));
  assert.equal(pictures.length, 2);
});

test('the chunks of large requests are collected at once', async (t) => {
  freeHttp2Streams();
  const client = await serve(t, () => Promise.resolve(answer));
  const image = Buffer.alloc(2 ** 20);
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  // Together less than V8 lets buffers grow by before it collects all garbage.
  const calls = 40;
  for (let i = 0; i < calls; i += 1) await unaryCall((done) => client.readMeter({ image }, withKey(), done));
  const kept = process.memoryUsage().arrayBuffers - before;
  assert.ok(kept < (calls / 3) * image.length, `${kept} bytes of ${calls} calls were kept`);
});
