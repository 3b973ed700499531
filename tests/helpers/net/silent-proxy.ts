import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface SilentProxy {
  readonly port: number;
  /** From now on it swallows what both sides send, like a network that forgot their connection. */
  silence(): void;
}

/** A proxy of TCP connections to a port of this machine. */
export async function startSilentProxy(t: Pick<TestContext, 'after'>, servicePort: number): Promise<SilentProxy> {
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const service = connect(servicePort, '127.0.0.1');
    sockets.push(client, service);
    for (const socket of [client, service]) socket.on('error', () => undefined);
    client.pipe(service).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      for (const socket of sockets) socket.unpipe().resume();
    },
  };
}
