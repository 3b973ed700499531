import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import { startCoreProcess } from '../../helpers/service/core-process.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

test('one address gets a fifth of the descriptors, a trusted proxy more', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const { port } = await startCoreProcess(t, { CORE_DATA_DIR: dataDir, CORE_TRUSTED_PROXIES: '127.0.0.2' }, 200);
  const isServed = (localAddress: string) => {
    const session = connect(`http://127.0.0.1:${port}`, {
      createConnection: () => connectTcp({ port, host: '127.0.0.1', localAddress }),
    });
    session.on('error', () => undefined); // the reset
    t.after(() => session.destroy());
    return new Promise<boolean>((resolve) => {
      session.once('remoteSettings', () => resolve(true)).once('close', () => resolve(false));
    });
  };
  for (let count = 1; count <= 40; count += 1) assert.ok(await isServed('127.0.0.1'));
  assert.equal(await isServed('127.0.0.1'), false);
  for (let count = 1; count <= 60; count += 1) assert.ok(await isServed('127.0.0.2'));
});
