import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** As many as HTTP/2 advises to let a client have at least (RFC 9113, 6.5.2). */
export const maxUnanswered = 100;

/** How many of a connection's requests have no whole answer yet; no WeakMap, see request-context.ts. */
const countKey = Symbol('unanswered');

type WithCount = Socket & { [countKey]?: number };

/**
 * Ends a connection that sends more requests than this without waiting for answers. Node.js reads on for as
 * long as no answers are waiting to be taken, be there thousands of requests that have none yet.
 *
 * Without an answer of its own, which would be taken for that to the first. Clients that pipeline send again
 * what had none (RFC 9112, 9.3.2).
 */
export function limitPipelining(handle: RequestListener): RequestListener {
  return (request, response) => {
    const socket: WithCount = request.socket;
    const count = (socket[countKey] ?? 0) + 1;
    socket[countKey] = count;
    if (count > maxUnanswered) {
      socket.destroy();
      return;
    }
    response.once('close', () => void (socket[countKey] = (socket[countKey] ?? 0) - 1));
    handle(request, response);
  };
}
