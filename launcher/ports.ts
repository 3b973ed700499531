import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Listener } from './launch-settings.js';

/** Why nobody can listen there now; undefined if someone can. */
export async function whyNotFree({ host, port }: Listener): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return describe(code ?? message);
  }
  await once(server.close(), 'close');
  return undefined;
}

function describe(code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'is in use';
    case 'EACCES':
      return 'may not be used by this user';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'is not an address of this machine';
    default:
      return `cannot be used (${code})`;
  }
}

/** Ports that were free a moment ago. */
export async function findFreePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen({ host, port: 0 }));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
