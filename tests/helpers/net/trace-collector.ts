import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/**
 * A server in place of a collector of traces, until the test ends.
 *
 * @returns the address that traces are sent to
 */
export async function startCollector(t: TestContext, listener: RequestListener): Promise<string> {
  const collector = createServer(listener).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  t.after(() => {
    collector.closeAllConnections();
    collector.close();
  });
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
}
