import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, type Registry } from 'prom-client';

/** A port for Prometheus to scrape. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics`, including those of the process.
 * @throws Error when the port cannot be had
 */
export async function startMetricsServer(options: {
  readonly registry: Registry;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}): Promise<MetricsServer> {
  const { registry, host, port } = options;
  collectDefaultMetrics({ register: registry });
  const server = createServer((request, response) => {
    const answer = async () => {
      if (request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    };
    answer().catch(() => response.writeHead(500).end());
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
