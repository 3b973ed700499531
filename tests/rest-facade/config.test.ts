import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, requestLimitsOf } from '../../rest-facade/config.js';
import { ConfigError } from '../../runtime/errors/config-error.js';

test('a body has room for the largest picture in base64, and 2 MiB for what is around it', () => {
  assert.equal(requestLimitsOf(createConfig({})).maxBodyBytes, 16_078_168);
});

test('addresses of the core', () => {
  const right = ['core:1', '[::1]:50051', 'dns:core:1', 'dns:///core.internal:50051', 'dns://10.0.0.2/core:65535'];
  right.push('ipv4:10.0.0.1:1,10.0.0.2:1', 'ipv6:[::1]:1,[fd00::2]:1', 'unix:/run/core.sock');
  for (const address of right) assert.equal(createConfig({ REST_CORE_ADDRESS: address }).REST_CORE_ADDRESS, address);
  const wrong = 'core|http://core:1|a b:1|core:0|core:65536|dns:core:99999|[1:2]:1|a,b:1'.split('|');
  wrong.push('ipv4:nonsense', 'ipv4:10.0.0.1', 'ipv4:[::1]:1', 'ipv6:10.0.0.1:1', 'ipv4:10.0.0.1:1,');
  for (const address of wrong) assert.throws(() => createConfig({ REST_CORE_ADDRESS: address }), ConfigError, address);
});

test('settings that do not fit together are reported with the other mistakes', () => {
  const env = {
    REST_PORT: 'x',
    REST_MAX_BUFFERED_BYTES: '1000',
    REST_CORE_TLS_CA: 'ca.pem',
    REST_CORE_ADDRESS: '10.0.0.1:50051',
  };
  const named = (environment: Record<string, string>) => {
    try {
      createConfig(environment);
      return [];
    } catch (error) {
      return (error as Error).message.split('\n').map((line) => line.split(' ', 1)[0]);
    }
  };
  assert.deepEqual(named(env), ['REST_PORT', 'REST_MAX_BUFFERED_BYTES', 'REST_CORE_ADDRESS']);
  const tls = { REST_CORE_TLS_CA: 'ca.pem', REST_CORE_ADDRESS: 'core:1' };
  assert.deepEqual(named(tls), []);
  assert.deepEqual(named({ ...tls, REST_ADMIN_PORT: '0' }), ['REST_CORE_ADMIN_ADDRESS']);
  // What a mistaken setting would have made of the others is not guessed.
  assert.deepEqual(named({ ...env, REST_MAX_IMAGE_BYTES: 'x', REST_CORE_ADDRESS: 'x' }), [
    'REST_PORT',
    'REST_CORE_ADDRESS',
    'REST_MAX_IMAGE_BYTES',
  ]);
});

test('TLS to the core needs its name, and each TLS setting its companion', () => {
  const tls = { REST_CORE_TLS_CA: 'ca.pem' };
  const named = ['core:1', 'dns:core:1', 'dns:///core:1', 'dns://10.0.0.1/core:1', 'unix:/run/core'];
  for (const address of named) createConfig({ ...tls, REST_CORE_ADDRESS: address });
  const numeric = [
    '10.0.0.1:1',
    '[::1]:1',
    'ipv4:10.0.0.1:1',
    'dns:10.0.0.1:1',
    'dns:///[::1]:1',
    'dns://a/10.0.0.1:1',
  ];
  for (const address of numeric) {
    const wish = /REST_CORE_ADDRESS is ".*": with TLS want a name, or REST_CORE_TLS_NAME/;
    assert.throws(() => createConfig({ ...tls, REST_CORE_ADDRESS: address }), wish);
    createConfig({ ...tls, REST_CORE_ADDRESS: address, REST_CORE_TLS_NAME: 'core' });
  }
  for (const name of ['10.0.0.1', '::1', 'a b'])
    assert.throws(
      () => createConfig({ ...tls, REST_CORE_TLS_NAME: name }),
      /REST_CORE_TLS_NAME is ".*": want a host name$/m,
    );
  assert.throws(
    () => createConfig({ REST_CORE_TLS_CERT: 'a', REST_TLS_KEY: 'b' }),
    /REST_TLS_KEY is set: want REST_TLS_CERT[^]*REST_CORE_TLS_CERT is set: want REST_CORE_TLS_KEY[^]*want REST_CORE_TLS_CA/,
  );
});

test('origins of other pages', () => {
  const read = (text: string) => createConfig({ REST_CORS_ORIGINS: text }).REST_CORS_ORIGINS;
  assert.deepEqual(read('*'), ['*']);
  assert.deepEqual(read('https://a.example, http://localhost:3000'), ['https://a.example', 'http://localhost:3000']);
  for (const text of ['a.example', 'https://a.example/', 'https://a.example,', '*,https://a.example'])
    assert.throws(() => read(text), /REST_CORS_ORIGINS is ".*": want \* or origins/, text);
  // No browser sends these, so that they would allow nobody.
  for (const text of ['https://*.a.example', 'https://A.example', 'https://a.example:443', 'http://a.example:80'])
    assert.throws(() => read(text), /REST_CORS_ORIGINS is ".*": want \* or origins/, text);
});

test('a budget in which one body has no place is a mistake', () => {
  const env = { REST_MAX_IMAGE_BYTES: '6', REST_MAX_BUFFERED_BYTES: '2621449' };
  assert.throws(() => createConfig(env), /REST_MAX_BUFFERED_BYTES is 2621449: want at least 2621450/);
  createConfig({ ...env, REST_MAX_BUFFERED_BYTES: '2621450' });
});
