import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';
import { arrivals } from './request-context.js';

type Line = Parameters<RequestListener>[];

/** The waiting requests of a connection. */
const waiting = createSymbolProperty<Socket, Line>();

/**
 * Starts one request per turn of the event loop. Connections take turns, so that a client with many requests
 * on one connection has no more of them started than others.
 *
 * libuv accepts one connection per turn. If a turn started all pending requests, it would take longer the
 * more there are, and new connections, health checks among them, would wait in the kernel for seconds while
 * others are served. This way, as many connections are accepted as requests are started.
 */
export function beginInTurns(handle: RequestListener): RequestListener {
  const lines: Line[] = [];
  let hasBegun = false;

  const next = (): void => {
    const line = lines.shift();
    const first = line?.shift();
    hasBegun = first !== undefined;
    if (line === undefined || first === undefined) return;
    setImmediate(next);
    if (line.length > 0) lines.push(line);
    // If the client has gone in the meantime, the request is not started.
    if (!first[0].socket.destroyed) handle(...first);
  };

  return (request, response) => {
    const line = waiting.get(request.socket) ?? [];
    waiting.set(request.socket, line);
    arrivals.set(request, performance.now());
    if (line.push([request, response]) === 1) lines.push(line);
    if (!hasBegun) next();
  };
}
