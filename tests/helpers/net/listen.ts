import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Has a server listen on a free port until the test is over, which ends its connections. @returns the port */
export async function listen(
  t: { after(end: () => unknown): unknown },
  server: Server & { closeAllConnections?(): void },
  host = '127.0.0.1',
): Promise<number> {
  await once(server.listen(0, host), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}
