import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Listener } from './launch-settings.js';

const notOurs = 'is not an address of this machine';
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'may not be used by this user',
  EADDRNOTAVAIL: notOurs,
  ENOTFOUND: notOurs,
};

/** Why nobody can listen there now; undefined if someone can. */
export async function whyNotFree({ host, port }: Listener): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return reasons[code ?? ''] ?? `cannot be used (${code ?? message})`;
  }
  await once(server.close(), 'close');
  return undefined;
}

/**
 * Ports that were free a moment ago, below those that systems give to outgoing connections: one of these could take a
 * port before somebody listens on it.
 */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    const port = randomInt(10_000, 32_768);
    const why = await whyNotFree({ host: '127.0.0.1', port });
    if (why === undefined) ports.add(port);
    else if (tries > 1_000) throw new Error(`no free port found: ${port} ${why}`);
  }
  return [...ports];
}
