import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';
import { arrivals } from './request-context.js';

type Line = Parameters<RequestListener>[];

/** The waiting requests of a connection. */
const waiting = createSymbolProperty<Socket, Line>();

/** Whether a connection is not read until they have begun. */
const isHeld = createSymbolProperty<Socket, boolean>();

/**
 * Starts one request per turn of the event loop. Connections take turns, so that a client with many requests
 * on one connection has no more of them started than others.
 *
 * libuv accepts one connection per turn. If a turn started all pending requests, it would take longer the
 * more there are, and new connections, health checks among them, would wait in the kernel for seconds while
 * others are served. This way, as many connections are accepted as requests are started.
 *
 * A connection with more than one waiting request is not read meanwhile. Otherwise each turn would read and parse
 * what all connections have sent ahead, and take as long.
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
    const { socket } = first[0];
    if (line.length > 0) lines.push(line);
    else if (isHeld.get(socket)) {
      isHeld.set(socket, false);
      socket.resume();
    }
    // If the client has gone in the meantime, the request is not started.
    if (!socket.destroyed) handle(...first);
  };

  // Once Node.js has parsed what it has read, for it reads on behind each request. It may have paused the connection
  // itself, whose responses are not read.
  const hold = (socket: Socket, line: Line): void => {
    if (line.length < 2 || socket.isPaused()) return;
    isHeld.set(socket, true);
    socket.pause();
  };

  return (request, response) => {
    const line = waiting.get(request.socket) ?? [];
    waiting.set(request.socket, line);
    arrivals.set(request, performance.now());
    if (line.push([request, response]) === 1) lines.push(line);
    else queueMicrotask(() => hold(request.socket, line));
    if (!hasBegun) next();
  };
}
