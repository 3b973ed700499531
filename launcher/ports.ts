import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Listener } from './launch-settings.js';

/** Listens there, so that nobody else can. */
export async function holdPort({ host, port }: Listener): Promise<Server> {
  const server = createServer((connection) => connection.destroy());
  await once(server.listen(port, host), 'listening');
  return server;
}

export async function releasePort(server: Server): Promise<void> {
  await once(server.close(), 'close');
}

/**
 * Ports that were free a moment ago, below those that systems give to outgoing connections: one of these could take a
 * port before somebody listens on it.
 */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    const port = randomInt(10_000, 32_768);
    try {
      await releasePort(await holdPort({ host: '127.0.0.1', port }));
      ports.add(port);
    } catch (error) {
      if (tries > 1_000) throw error;
    }
  }
  return [...ports];
}
