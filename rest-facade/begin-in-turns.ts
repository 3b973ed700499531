import type { IncomingMessage, ServerResponse } from 'node:http';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Begins one request a turn of the event loop, first come first served.
 *
 * libuv accepts one connection a turn. Where a turn begins all requests that are there, it gets the
 * longer the more there are, and connections that are accepted now and then wait for seconds in the
 * kernel while others are served, those that ask for the health among them. So as many are accepted as
 * are begun.
 */
export function beginInTurns(handle: Handle): Handle {
  const waiting: Parameters<Handle>[] = [];
  let hasBegun = false;

  const next = (): void => {
    const first = waiting.shift();
    hasBegun = first !== undefined;
    if (first === undefined) return;
    setImmediate(next);
    const [, response] = first;
    // Whose caller has gone in the meantime is not begun.
    if (!response.closed) handle(...first);
  };

  return (...request) => {
    waiting.push(request);
    if (!hasBegun) next();
  };
}
