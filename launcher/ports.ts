import { createServer } from 'node:net';

/** Whether the launcher could listen there now. */
export async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
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
