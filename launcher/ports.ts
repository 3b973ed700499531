import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
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

/** Ports that were free a moment ago. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen({ host: '127.0.0.1', port: 0 }));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
