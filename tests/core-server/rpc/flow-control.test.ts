import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { callWindowBytes, connectionWindowBytes } from '../../../core-server/rpc/grpc-js-patches/server-options.js';
import { openStage, scriptedWorkerUrl } from '../../helpers/pictures/scripted-pictures.js';
import { startService } from '../../helpers/service/service.js';

test('a client may ping often, as those that check their connection do', async (t) => {
  openStage(t);
  const service = await startService(t, {}, undefined, scriptedWorkerUrl);
  const session = connect(`http://${service.grpc}`);
  t.after(() => session.destroy());
  await once(session, 'connect');
  // Servers of other gRPC libraries end such a connection with ENHANCE_YOUR_CALM.
  for (let pings = 0; pings < 100; pings += 1)
    await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));
});

test('a client may have a whole picture under way', async (t) => {
  openStage(t);
  const service = await startService(t, {}, undefined, scriptedWorkerUrl);
  const session = connect(`http://${service.grpc}`);
  t.after(() => session.destroy());
  while (session.remoteSettings.initialWindowSize !== callWindowBytes) await once(session, 'remoteSettings');
  // The window of the connection is told in the frame after the settings.
  await new Promise((resolve) => session.ping(resolve));
  assert.equal(session.state.remoteWindowSize, connectionWindowBytes);
});
