import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Listener } from './launch-settings.js';

/** Listens there, so that nobody else can. @throws what {@link obstacleOf} explains */
export async function holdPort({ host, port }: Listener): Promise<Server> {
  const server = createServer((connection) => connection.destroy());
  await once(server.listen(port, host), 'listening');
  return server;
}

export async function releasePort(server: Server): Promise<void> {
  await once(server.close(), 'close');
}

/** What keeps a port from us; any other error lies with its host. */
const portErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'may not be used by this user',
};

/** Why nobody can listen at an address, and the part of it to change. */
export function obstacleOf(error: unknown): { why: string; setting: 'PORT' | 'HOST' } {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = portErrors[code ?? ''];
  if (why !== undefined) return { why, setting: 'PORT' };
  return { why: `is not an address that this machine can use (${code ?? message})`, setting: 'HOST' };
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
      if (tries > 1_000) throw new Error(`no free port found: ${port} ${obstacleOf(error).why}`, { cause: error });
    }
  }
  return [...ports];
}
