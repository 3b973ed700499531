import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { createSlot } from '../runtime/slot.js';

/** The minimum that HTTP/2 recommends for a client (RFC 9113, 6.5.2). */
export const maxUnanswered = 100;

/** How many of a connection's requests have no complete response yet. */
const unanswered = createSlot<Socket, number>();

/**
 * Closes a connection that sends more requests than this without waiting for responses. Node.js keeps reading
 * as long as no responses are waiting to be sent, even with thousands of unanswered requests queued.
 *
 * It sends no response, which would be mistaken for that to the first request. Clients that pipeline resend
 * unanswered requests (RFC 9112, 9.3.2).
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
