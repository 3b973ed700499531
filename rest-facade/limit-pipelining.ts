import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { createSlot } from '../runtime/slot.js';

/** As many as HTTP/2 advises to let a client have at least (RFC 9113, 6.5.2). */
export const maxUnanswered = 100;

/** How many of a connection's requests have no whole answer yet. */
const unanswered = createSlot<Socket, number>();

/**
 * Ends a connection that sends more requests than this without waiting for answers. Node.js reads on for as
 * long as no answers are waiting to be taken, be there thousands of requests that have none yet.
 *
 * Without an answer of its own, which would be taken for that to the first. Clients that pipeline send again
 * what had none (RFC 9112, 9.3.2).
 */
export function limitPipelining(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    if (count > maxUnanswered) {
      socket.destroy();
      return;
    }
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 0) - 1));
    handle(request, response);
  };
}
