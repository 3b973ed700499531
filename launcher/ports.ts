import { createServer } from 'node:net';
import type { Listener } from './launch-settings.js';

/** Why nobody can listen there now; undefined if someone can. */
export async function whyNotFree({ host, port }: Listener): Promise<string | undefined> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(describe(error.code ?? error.message));
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
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
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen({ host, port: 0 }, () => {
            const address = server.address();
            if (address && typeof address === 'object') resolve(address.port);
            else reject(new Error(`no port of ${host} could be had`));
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
