import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createSlot } from '../runtime/slot.js';

/** @param arrivedAt when the headers of the request had been read; monotonic, milliseconds */
export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  arrivedAt: number,
) => void;

type Line = Parameters<Handle>[];

/** The requests of a connection that wait. */
const waiting = createSlot<Socket, Line>();

/**
 * Begins one request a turn of the event loop. Connections take turns, so that whoever sends many requests
 * over one has no more of them begun than others.
 *
 * libuv accepts one connection a turn. Where a turn begins all requests that are there, it gets the
 * longer the more there are, and connections that are accepted now and then wait for seconds in the
 * kernel while others are served, those that ask for the health among them. So as many are accepted as
 * are begun.
 */
export function beginInTurns(handle: Handle): RequestListener {
  const lines: Line[] = [];
  let hasBegun = false;

  const next = (): void => {
    const line = lines.shift();
    const first = line?.shift();
    hasBegun = first !== undefined;
    if (line === undefined || first === undefined) return;
    setImmediate(next);
    if (line.length > 0) lines.push(line);
    // Whose caller has gone in the meantime is not begun.
    if (!first[0].socket.destroyed) handle(...first);
  };

  return (request, response) => {
    const line = waiting.get(request.socket) ?? [];
    waiting.set(request.socket, line);
    if (line.push([request, response, performance.now()]) === 1) lines.push(line);
    if (!hasBegun) next();
  };
}
