import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { createThrottle } from '../../rest-facade/core-client/throttle.js';
import { loadRpcs } from '../../rest-facade/protos.js';
import { createRoutes } from '../../rest-facade/request/rules.js';
import { type AppDependencies, createApp } from '../../rest-facade/server/app.js';
import { createFairBudget } from '../../runtime/limits/fair-budget.js';
import { noTracing } from '../../runtime/observe/tracing.js';

/** The limits that it has unless a test gives others. */
export const limits = {
  maxImageBytes: 1_000,
  maxBodyBytes: 1_000,
  maxFormFields: 16,
  maxFieldBytes: 1_000,
  requestTimeoutMs: 60_000,
};

/**
 * Serves the application on a free port, with what the test gives in place of its parts; ended with the test.
 * @param waitedMs how long before its turn each request arrived
 */
export async function serveApp(
  t: TestContext,
  deps: Partial<AppDependencies>,
  waitedMs = 0,
): Promise<number> {
  const app = createApp({
    routes: createRoutes(loadRpcs()),
    pages: new Map(),
    core: { call: () => Promise.resolve({}) },
    budget: createFairBudget(1_000_000),
    throttle: createThrottle({ now: () => performance.now() }),
    limits,
    metrics: { requestEnded: () => undefined },
    tracing: noTracing,
    log: pino({ level: 'silent' }),
    corsOrigins: [],
    isTrustedProxy: () => false,
    isTls: false,
    isDraining: () => false,
    ...deps,
  });
  const server = createServer((request, response) =>
    app(request, response, performance.now() - waitedMs),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}
