import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { createLaunchSettings, toConnectAddress } from '../../launcher/launch-settings.js';

describe('createLaunchSettings', () => {
  it('has the documented defaults', () => {
    assert.deepEqual(createLaunchSettings({}), {
      core: { host: '127.0.0.1', port: 50_051, shutdownGraceMs: 10_000 },
      facade: { host: '127.0.0.1', port: 8080, shutdownGraceMs: 10_000 },
      admin: undefined,
    });
  });

  it('lets the facade listen on before its grace', () => {
    const { facade } = createLaunchSettings({ REST_SHUTDOWN_DELAY_MS: '5000' });
    assert.equal(facade.shutdownGraceMs, 15_000);
  });

  it('has the port of administration once that is on', () => {
    const on = { CORE_ADMIN_KEY: '0123456789abcdef' };
    assert.deepEqual(createLaunchSettings(on).admin, { host: '127.0.0.1', port: 50_052 });
    assert.throws(
      () => createLaunchSettings({ REST_ADMIN_PORT: '8081' }),
      /REST_ADMIN_PORT is 8081: want CORE_ADMIN_KEY/,
    );
  });

  it('refuses certificates: what it starts would serve without them', () => {
    for (const name of ['CORE_TLS_CERT', 'REST_TLS_CERT', 'REST_CORE_TLS_CA'])
      assert.throws(() => createLaunchSettings({ [name]: 'a.pem' }), {
        name: 'ConfigError',
        message: new RegExp(`^${name} is set: this command serves without TLS`, 'm'),
      });
  });

  it('reports the mistakes of both processes together', () => {
    const env = { CORE_PORT: 'x', CORE_WORKERS: '0', REST_PORT: '65536' };
    assert.throws(() => createLaunchSettings(env), { message: /CORE_PORT[^]*CORE_WORKERS[^]*REST_PORT/ });
  });
});

test('a listener on all addresses is reached by loopback', () => {
  for (const [host, address] of [
    ['127.0.0.1', '127.0.0.1:1'],
    ['localhost', 'localhost:1'],
    ['0.0.0.0', '127.0.0.1:1'],
    ['::', '[::1]:1'],
    ['fd00::2', '[fd00::2]:1'],
  ] as const)
    assert.equal(toConnectAddress({ host, port: 1 }), address);
});
