import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { limitConnections } from '../limits/limit-connections.js';
import { limitPipelining } from '../limits/limit-pipelining.js';
import { createHttpServer } from '../net/create-http-server.js';

/** Enough for several Prometheus servers, and few of a process's file descriptors. */
const maxConnections = 100;
/** Nobody who scrapes asks again before there is an answer, and each is dozens of kilobytes. */
const maxUnanswered = 1;
const requestTimeoutMs = 5_000;

/** Serves metrics for Prometheus at `/metrics`, those of the process too. @throws Error when the port cannot be had */
export async function startMetricsServer(options: {
  readonly registry: Registry;
  readonly host: string;
  /** 0 picks a free port; undefined: nothing is served. */
  readonly port: number | undefined;
  readonly log: Logger;
}) {
  const { registry, host, port, log } = options;
  if (port === undefined) return { port, close: () => Promise.resolve() };
  collectDefaultMetrics({ register: registry });
  const handle: RequestListener = (request, response) => {
    const answer = async () => {
      if (request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    };
    answer().catch(() => response.writeHead(500).end());
  };
  const server = createHttpServer(limitPipelining(handle, maxUnanswered), { requestTimeoutMs });
  limitConnections(server, { max: maxConnections, isExempt: () => false, log });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
