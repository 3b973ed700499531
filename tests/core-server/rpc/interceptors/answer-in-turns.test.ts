import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { ReflectionV1Implementation } from '@grpc/reflection/build/src/implementations/reflection-v1.js';
import { maxKeylessMessages } from '../../../../core-server/rpc/grpc-js-patches/limit-messages.js';
import { answer, countByTurn, serve } from '../served-calls.js';

test('reflection is answered one message per turn of the event loop', { timeout: 20_000 }, async (t) => {
  const answered = countByTurn(t);
  const handle = t.mock.method(ReflectionV1Implementation.prototype, 'handleServerReflectionRequest', () => {
    answered.note();
    return {};
  });
  const client = await serve(t, () => Promise.resolve(answer));
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const same = (bytes: Buffer) => bytes;
  const streams = [1, 2, 3, 4, 5, 6, 7, 8].map(() => client.makeBidiStreamRequest(path, same, same));
  const ends = streams.map((stream) => once(stream.resume(), 'end'));
  for (const stream of streams) {
    for (let i = 0; i < maxKeylessMessages; i += 1) stream.write(Buffer.alloc(0));
    stream.end();
  }
  await Promise.all(ends);
  assert.equal(handle.mock.callCount(), streams.length * maxKeylessMessages);
  // Two where the count stands between their turns.
  assert.ok(answered.most() <= 2, `${answered.most()} in one turn`);
});
