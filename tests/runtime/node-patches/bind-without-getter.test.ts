import assert from 'node:assert/strict';
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { test } from 'node:test';
import { bindWithoutGetter } from '../../../runtime/node-patches/bind-without-getter.js';

test('a bound function runs where it was bound, with its arguments, and has no getter', () => {
  bindWithoutGetter();
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
