import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createSymbolProperty } from '../node-patches/symbol-property.js';

/** The minimum that HTTP/2 recommends for a client (RFC 9113, 6.5.2). */
export const maxUnanswered = 100;

const unanswered = createSymbolProperty<Socket, Set<ServerResponse>>();

/** The responses of a connection that are not complete yet, in the order of their requests. */
export function unansweredOf(socket: Socket): readonly ServerResponse[] {
  return [...(unanswered.get(socket) ?? [])];
}

/**
 * Closes a connection that sends more requests than this without waiting for responses. Node.js keeps reading
 * as long as no responses are waiting to be sent, even with thousands of unanswered requests queued.
 *
 * It sends no response, which would be mistaken for that to the first request. Clients that pipeline resend
 * unanswered requests (RFC 9112, 9.3.2).
 *
 * If the connection is lost, Node.js closes only the response being sent. Those queued behind it are closed here,
 * so that their work ends and their requests are logged too.
 */
export function limitPipelining(handle: RequestListener, max = maxUnanswered): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const own = unanswered.get(socket) ?? watch(socket);
    own.add(response);
    if (own.size > max) {
      socket.destroy();
      return;
    }
    response.once('close', () => own.delete(response));
    handle(request, response);
  };
}

function watch(socket: Socket): Set<ServerResponse> {
  const own = new Set<ServerResponse>();
  unanswered.set(socket, own);
  socket.once('close', () => {
    for (const response of own) if (response.socket === null) response.destroy().emit('close');
  });
  return own;
}
