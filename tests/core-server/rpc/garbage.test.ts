import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { freeHttp2Streams } from '../../../runtime/node-patches/free-http2-streams.js';
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
  const stream = client.streamReadMeters(withKey());
  t.after(() => stream.on('error', () => undefined).cancel());
  stream.write({ id: 'a', request: { image } });
  await once(stream, 'data');
  await eventually(() => pictures.every(({ length }) => length === 0));
  assert.equal(pictures.length, 2);
});
