import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { shuttingDown } from '../../../runtime/errors/refusal.js';
import { limitConnections, openConnections } from '../../../runtime/limits/limit-connections.js';
import { limitPipelining, unansweredOf } from '../../../runtime/limits/limit-pipelining.js';
import type { IsTrustedProxy } from '../../../runtime/net/addresses.js';
import { createHttpServer } from '../../../runtime/net/create-http-server.js';
import type { Identity } from '../../../runtime/net/tls.js';
import { createConfig } from '../../config.js';
import { toOriginForm } from '../../request/parse-target.js';
import { type Observers, unobserved } from '../observe-request.js';
import { endRequest } from '../request-context.js';
import { answerMalformed, maxHeaderBytes } from './answer-malformed.js';
import { beginInTurns } from './begin-in-turns.js';
import { expressMessages } from './express-messages.js';

/** For callers to be told that their requests are ended, before their connections are. */
const takeRefusalMs = 200;

export type HttpServer = Awaited<ReturnType<typeof startHttpServer>>;

/** Serves an application over HTTP, or HTTPS if there is an `identity`. @throws Error if the port is taken */
export async function startHttpServer(
  app: Express,
  options: {
    readonly host: string;
    /** 0 picks a free port. */
    readonly port: number;
    readonly identity?: Identity | undefined;
    readonly requestTimeoutMs?: number;
    /** Whose connections are not limited; by default nobody's. */
    readonly isTrustedProxy?: IsTrustedProxy;
    readonly log?: Logger;
    /** Count what never reaches the application. */
    readonly metrics?: Observers['metrics'];
  },
) {
  const {
    host,
    port,
    identity,
    requestTimeoutMs = createConfig({}).REST_REQUEST_TIMEOUT_MS,
    isTrustedProxy = () => false,
    log = unobserved.log,
    metrics = unobserved.metrics,
  } = options;
  // Stands before Express: what a flood must not get past.
  const handle = limitPipelining(
    beginInTurns((request, response) => {
      request.url = toOriginForm(request.url ?? '/');
      app(request, response);
    }),
  );
  const server = createHttpServer(handle, {
    ...expressMessages(app),
    identity,
    requestTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
  });
  answerMalformed(server, log, metrics, identity !== undefined);
  limitConnections(server, { isExempt: isTrustedProxy, log });
  const connections = openConnections(server);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    host: address.address,
    port: address.port,
    /** Stops listening, lets requests in flight finish, and refuses them after the grace period. */
    async close(graceMs: number): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      // Otherwise a caller would send its next request on a connection that is closed.
      for (const last of [...connections].map((connection) => unansweredOf(connection).at(-1)))
        if (last?.headersSent === false) last.setHeader('connection', 'close');
      const force = () => {
        for (const connection of connections) connection.destroy(shuttingDown());
      };
      let timer = setTimeout(() => {
        log.warn('requests under way are ended');
        for (const { req } of [...connections].flatMap(unansweredOf)) endRequest(req, shuttingDown());
        timer = setTimeout(force, takeRefusalMs);
      }, graceMs);
      // A connection whose response had begun by then stays open, idle, after that is sent.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearTimeout(timer);
      clearInterval(sweep);
    },
  };
}
