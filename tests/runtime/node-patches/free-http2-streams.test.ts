import assert from 'node:assert/strict';
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import { test } from 'node:test';
import { freeHttp2Streams } from '../../../runtime/node-patches/free-http2-streams.js';
import { assertYoungGarbage } from '../../helpers/garbage.js';
import { listen } from '../../helpers/net/listen.js';

freeHttp2Streams();

test('what listened to an HTTP/2 stream is garbage that young collections free', async (t) => {
  const server = createServer((_request, response) => response.end('answer'));
  const session = connect(`http://127.0.0.1:${await listen(t, server)}`);
  t.after(() => session.close());

  const bytes = 200_000;
  const call = async () => {
    const picture = Buffer.alloc(bytes);
    const stream = session.request().resume();
    stream.on('response', () => assert.equal(picture.length, bytes));
    await once(stream, 'close');
  };
  await assertYoungGarbage(call, bytes);
});

test('a bound function runs where it was bound, with its arguments, and has no getter', () => {
  const storage = new AsyncLocalStorage<string>();
  const resource = storage.run('bound here', () => new AsyncResource('test'));
  function told(this: unknown, a: number, b: number) {
    return [storage.getStore(), this, a, b];
  }
  const bound = storage.run('called there', () => resource.bind(told));
  const owner = { bound };
  assert.deepEqual(owner.bound(1, 2), ['bound here', owner, 1, 2]);
  // The second parameter is not in its types.
  const bindTo = resource.bind.bind(resource) as (fn: typeof told, thisArg: object) => typeof told;
  const own = { name: 'own' };
  assert.deepEqual(bindTo(told, own)(1, 2), ['bound here', own, 1, 2]);
  assert.equal(bound.length, 2);
  assert.equal('asyncResource' in bound, false);
  assert.equal('asyncResource' in AsyncResource.bind(told), false);
});
