import { AsyncResource } from 'node:async_hooks';

type Callback = (this: unknown, ...args: unknown[]) => unknown;

/**
 * In Node.js 20, the functions that `AsyncResource.bind` returns have a deprecated getter `asyncResource`,
 * and V8 keeps a getter in the description of a shape until the next full collection. node:http2 binds a
 * function for each request that a client sends, so each stream outlived its call, and with it the picture
 * that grpc-js had sent. From now on, bound functions in this process have no such getter.
 */
export function bindWithoutGetter(): void {
  if (!('asyncResource' in new AsyncResource('probe').bind(() => undefined))) return;
  Object.assign(AsyncResource.prototype, { bind });
}

/** As in Node.js, but without the getter. */
function bind(this: AsyncResource, fn: Callback, thisArg?: unknown): Callback {
  const run = this.runInAsyncScope.bind(this, fn);
  const bound: Callback = function (...args) {
    return run(thisArg === undefined ? this : thisArg, ...args);
  };
  return Object.defineProperty(bound, 'length', { value: fn.length });
}
