import type { Server, Socket } from 'node:net';

/**
 * The open connections of a server, from now on. Those too that nothing else knows of, and that would keep the
 * server from closing: without a TLS handshake, or with a client that never ends its side.
 */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}
