import { test } from 'node:test';
import { freeHttp2Streams } from '../../../runtime/node-patches/free-http2-streams.js';
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
