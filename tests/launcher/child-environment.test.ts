import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settings as coreSettings } from '../../core-server/compose/config.js';
import { coreEnvironment, facadeEnvironment } from '../../launcher/child-environment.js';
import { settings as facadeSettings } from '../../rest-facade/config.js';

test('what the user set wins over the defaults of the core, where it is not empty', () => {
  const user = { MALLOC_ARENA_MAX: '4', UV_THREADPOOL_SIZE: '', TZ: '', CORE_PORT: '1' };
  const env = coreEnvironment(user, { host: '127.0.0.1', port: 2 });
  assert.equal(env['MALLOC_ARENA_MAX'], '4');
  assert.ok(Number(env['UV_THREADPOOL_SIZE']) >= 4);
  assert.equal(env['TZ'], '');
  assert.equal(env['CORE_PORT'], '2');
});

test('the memory of pictures goes back to the system as docs/operating.md says', () => {
  const { MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_, MALLOC_TRIM_THRESHOLD_ } = coreEnvironment(
    {},
    { host: '', port: 2 },
  );
  const set = { MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_, MALLOC_TRIM_THRESHOLD_ };
  const documented = readFileSync('docs/operating.md', 'utf8');
  for (const [name, value] of Object.entries(set)) assert.ok(documented.includes(`\`${name}=${value}\``), name);
});

test('both processes are told where the administration is, if it is on', () => {
  const place = { host: '127.0.0.1', port: 1 };
  const admin = { host: '0.0.0.0', port: 3 };
  assert.equal(coreEnvironment({}, place, admin)['CORE_ADMIN_PORT'], '3');
  assert.equal(facadeEnvironment({}, place, place, admin)['REST_CORE_ADMIN_ADDRESS'], '127.0.0.1:3');
  assert.equal(facadeEnvironment({}, place, place)['REST_CORE_ADMIN_ADDRESS'], undefined);
});

test('the facade calls the core that was started with it, unless it is told another', () => {
  const place = { host: '127.0.0.1', port: 1 };
  for (const [told, address] of [
    ['', '127.0.0.1:1'],
    ['10.0.0.1:50051', '10.0.0.1:50051'],
  ] as const)
    assert.equal(facadeEnvironment({ REST_CORE_ADDRESS: told }, place, place)['REST_CORE_ADDRESS'], address);
});

test('the facade gets none of the secrets of the core', () => {
  const place = { host: '127.0.0.1', port: 1 };
  const user = { CORE_ADMIN_KEY: 'a key of sixteen', DATABASE_URL: 'postgres://user:password@host/name', TZ: 'UTC' };
  const { CORE_ADMIN_KEY, DATABASE_URL, TZ } = facadeEnvironment(user, place, place);
  assert.deepEqual(
    { CORE_ADMIN_KEY, DATABASE_URL, TZ },
    { CORE_ADMIN_KEY: undefined, DATABASE_URL: undefined, TZ: 'UTC' },
  );
  assert.equal(coreEnvironment(user, place)['DATABASE_URL'], user.DATABASE_URL);
  const secrets = Object.entries(coreSettings.shape).filter(
    ([name, setting]) => setting.meta()?.['secret'] === true && !(name in facadeSettings.shape),
  );
  const all = Object.fromEntries(secrets.map(([name]) => [name, 'a secret']));
  assert.ok(secrets.length > 0);
  for (const [name] of secrets) assert.equal(facadeEnvironment(all, place, place)[name], undefined, name);
});
