import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An address that stays while the server behind it changes or goes silent, as a service of Kubernetes does. */
interface TcpSwitch {
  readonly port: number;
  /** Ends all connections; new ones go to this port of this machine. */
  turnTo(port: number): void;
  /** Keeps connections and takes new ones, and lets no byte pass, until it is turned to a port. */
  silence(): void;
  close(): void;
}

export async function startTcpSwitch(port: number): Promise<TcpSwitch> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  let target: number | undefined = port;
  const server = createServer((client) => {
    keep(client);
    if (target === undefined) return;
    const service = connect(target, '127.0.0.1');
    keep(service);
    client.pipe(service).pipe(client);
    client.once('close', () => service.destroy());
    service.once('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    turnTo(next) {
      target = next;
      for (const socket of sockets) socket.destroy();
    },
    silence() {
      target = undefined;
      for (const socket of sockets) socket.unpipe().resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
