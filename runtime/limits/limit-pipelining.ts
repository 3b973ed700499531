import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerAddress } from '../net/addresses.js';
import { endWithoutParsing } from '../node-patches/end-without-parsing.js';
import { createSymbolProperty } from '../node-patches/symbol-property.js';
import { createFairBudget, createHold, type FairBudget } from './fair-budget.js';

/** The minimum that HTTP/2 recommends for a client (RFC 9113, 6.5.2). */
export const maxUnanswered = 100;

/**
 * The same for all connections together, of each without its first: 12 KB are kept about a request that waits, and 46 if
 * its headers are as large as they may be. One address gets four fifths.
 */
export const maxPipelined = 2_000;

/** What a connection has that is not answered. */
interface Unanswered {
  readonly responses: Set<ServerResponse>;
  /** Keeps places for so many of them; false if there is none for one more. */
  readonly hold: (count: number) => boolean;
}

const unanswered = createSymbolProperty<Socket, Unanswered>();

/** The responses of a connection that are not complete yet, in the order of their requests. */
export function unansweredOf(socket: Socket): readonly ServerResponse[] {
  return [...(unanswered.get(socket)?.responses ?? [])];
}

/**
 * Closes a connection that sends more requests than this without waiting for responses, or of which all connections
 * together have too many. Node.js keeps reading as long as no responses are waiting to be sent, even with thousands of
 * unanswered requests queued.
 *
 * It sends no response, which would be mistaken for that to the first request. Clients that pipeline resend
 * unanswered requests (RFC 9112, 9.3.2).
 *
 * If the connection is lost, Node.js closes only the response being sent. Those queued behind it are closed here,
 * so that their work ends and their requests are logged too.
 */
export function limitPipelining(handle: RequestListener, max = maxUnanswered): RequestListener {
  const places = createFairBudget(maxPipelined);
  return (request, response) => {
    const { socket } = request;
    const { responses, hold } = unanswered.get(socket) ?? watch(socket, places);
    responses.add(response);
    if (responses.size > max || !hold(responses.size - 1)) return endWithoutParsing(socket);
    response.once('close', () => {
      responses.delete(response);
      if (!socket.destroyed) hold(Math.max(0, responses.size - 1));
    });
    handle(request, response);
  };
}

function watch(socket: Socket, places: FairBudget): Unanswered {
  const responses = new Set<ServerResponse>();
  const hold = createHold(places.of(callerAddress(socket.remoteAddress)));
  const own = { responses, hold };
  unanswered.set(socket, own);
  socket.once('close', () => {
    hold(0);
    for (const response of responses) if (response.socket === null) response.destroy().emit('close');
  });
  return own;
}
