import { AsyncResource } from 'node:async_hooks';

type Callback = (this: unknown, ...args: unknown[]) => unknown;

/**
 * What `AsyncResource.bind` gives has a deprecated getter `asyncResource` in Node.js 20, and V8 keeps a
 * getter in the description of a shape until it next collects all of the heap. node:http2 binds a
 * function for each request that a client sends. So each stream outlived its call, and with it the picture
 * that grpc-js had sent. From now on the bound functions of this process have none.
 */
export function bindWithoutGetter(): void {
  if (!('asyncResource' in new AsyncResource('probe').bind(() => undefined))) return;
  Object.assign(AsyncResource.prototype, { bind });
}

/** As Node.js does it, but for the getter. */
function bind(this: AsyncResource, fn: Callback, thisArg?: unknown): Callback {
  const run = this.runInAsyncScope.bind(this, fn);
  const bound: Callback = function (...args) {
    return run(thisArg === undefined ? this : thisArg, ...args);
  };
  return Object.defineProperty(bound, 'length', { value: fn.length });
}
