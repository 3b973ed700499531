import type { Server, Socket } from 'node:net';

/**
 * Tracks a server's open connections, including those that nothing else tracks and that would keep it from
 * closing: without a TLS handshake, or with a client that never ends its side.
 */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}
