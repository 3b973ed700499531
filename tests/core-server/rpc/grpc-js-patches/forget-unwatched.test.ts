import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Client, type ClientReadableStream, credentials, Server } from '@grpc/grpc-js';
import { HealthImplementation, service } from 'grpc-health-check';
import { forgetUnwatched } from '../../../../core-server/rpc/grpc-js-patches/forget-unwatched.js';
import { eventually } from '../../../helpers/eventually.js';
import { bindServer } from '../../../helpers/net/grpc.js';

test('a name that nobody watches any more is not kept', async (t) => {
  const server = new Server();
  const health = new HealthImplementation({ known: 'SERVING' });
  forgetUnwatched(health);
  health.addToServer(server);
  const { watchers } = health as unknown as { watchers: Map<string, unknown> };
  const port = await bindServer(t, server);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  t.after(() => client.close());
  const { path, requestSerialize, responseDeserialize } = service['Watch'] as never as {
    path: string;
    requestSerialize: (request: object) => Buffer;
    responseDeserialize: (bytes: Buffer) => { status: string };
  };
  const watch = async (name: string) => {
    const stream: ClientReadableStream<{ status: string }> = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { service: name },
    );
    stream.on('error', () => undefined);
    const [{ status }] = (await once(stream, 'data')) as [{ status: string }];
    return { status, end: () => stream.cancel() };
  };
  const known = await watch('known');
  assert.equal(known.status, 'SERVING');
  const unknown = [await watch('made up'), await watch('made up'), await watch('another')];
  assert.deepEqual(
    unknown.map(({ status }) => status),
    Array(3).fill('SERVICE_UNKNOWN'),
  );
  assert.deepEqual([...watchers.keys()], ['known', 'made up', 'another']);
  for (const { end } of unknown) end();
  await eventually(() => watchers.size === 1);
  assert.deepEqual([...watchers.keys()], ['known']);
});
