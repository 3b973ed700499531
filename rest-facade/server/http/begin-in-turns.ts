import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { createTurns } from '../../../runtime/limits/turns.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { createSymbolProperty } from '../../../runtime/node-patches/symbol-property.js';
import { noteArrival } from '../request-context.js';

/** Whether a connection is not read until they have begun. */
const isHeld = createSymbolProperty<Socket, boolean>();

/**
 * Starts requests in turns, one per turn of the event loop.
 *
 * A connection with more than one waiting request is not read meanwhile. Otherwise each turn would read and parse
 * what all connections have sent ahead, and take as long.
 */
export function beginInTurns(handle: RequestListener): RequestListener {
  const turns = createTurns(({ remoteAddress }: Socket) => callerAddress(remoteAddress));

  // Once Node.js has parsed what it has read, for it reads on behind each request. It may have paused the connection
  // itself, whose responses are not read.
  const hold = (socket: Socket): void => {
    if (socket.isPaused()) return;
    isHeld.set(socket, true);
    socket.pause();
  };

  return (request, response) => {
    const { socket } = request;
    noteArrival(request);
    const waiting = turns.take(socket, (stillWaiting) => {
      if (stillWaiting === 0 && isHeld.get(socket)) {
        isHeld.set(socket, false);
        socket.resume();
      }
      // If the client has gone in the meantime, the request is not started.
      if (!socket.destroyed) handle(request, response);
    });
    if (waiting > 1) queueMicrotask(() => hold(socket));
  };
}
