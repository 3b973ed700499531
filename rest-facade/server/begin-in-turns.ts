import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { callerAddress } from '../../runtime/net/addresses.js';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';
import { arrivals } from './request-context.js';

/** The waiting requests of a connection. */
interface Line {
  readonly caller: string;
  readonly requests: Parameters<RequestListener>[];
}

const waiting = createSymbolProperty<Socket, Line>();

/** Whether a connection is not read until they have begun. */
const isHeld = createSymbolProperty<Socket, boolean>();

/**
 * Starts one request per turn of the event loop. Addresses take turns, and so do the connections of each, so that a
 * client with many requests on one connection, or on thousands, has no more of them started than others.
 *
 * libuv accepts one connection per turn. If a turn started all pending requests, it would take longer the
 * more there are, and new connections, health checks among them, would wait in the kernel for seconds while
 * others are served. This way, as many connections are accepted as requests are started.
 *
 * A connection with more than one waiting request is not read meanwhile. Otherwise each turn would read and parse
 * what all connections have sent ahead, and take as long.
 */
export function beginInTurns(handle: RequestListener): RequestListener {
  /** By address, in the order of their turns. */
  const callers = new Map<string, Line[]>();
  let hasBegun = false;

  const join = (line: Line): void => {
    const lines = callers.get(line.caller);
    if (lines) lines.push(line);
    else callers.set(line.caller, [line]);
  };

  const next = (): void => {
    const [turn] = callers;
    hasBegun = turn !== undefined;
    if (turn === undefined) return;
    setImmediate(next);
    const [caller, lines] = turn;
    callers.delete(caller);
    const line = lines.shift() as Line;
    const first = line.requests.shift() as Parameters<RequestListener>;
    if (lines.length > 0) callers.set(caller, lines);
    const { socket } = first[0];
    if (line.requests.length > 0) join(line);
    else if (isHeld.get(socket)) {
      isHeld.set(socket, false);
      socket.resume();
    }
    // If the client has gone in the meantime, the request is not started.
    if (!socket.destroyed) handle(...first);
  };

  // Once Node.js has parsed what it has read, for it reads on behind each request. It may have paused the connection
  // itself, whose responses are not read.
  const hold = (socket: Socket, { requests }: Line): void => {
    if (requests.length < 2 || socket.isPaused()) return;
    isHeld.set(socket, true);
    socket.pause();
  };

  return (request, response) => {
    const { socket } = request;
    const line = waiting.get(socket) ?? { caller: callerAddress(socket.remoteAddress ?? ''), requests: [] };
    waiting.set(socket, line);
    arrivals.set(request, performance.now());
    if (line.requests.push([request, response]) === 1) join(line);
    else queueMicrotask(() => hold(socket, line));
    if (!hasBegun) next();
  };
}
