import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { type AppOptions, createApp } from '../../rest-facade/server/app.js';
import { expressMessages } from '../../rest-facade/server/http/express-messages.js';
import { noteArrival } from '../../rest-facade/server/request-context.js';
import { limitPipelining } from '../../runtime/limits/limit-pipelining.js';
import { listen } from '../helpers/net/listen.js';

/** The limits that it has unless a test gives others. */
export const limits = {
  maxImageBytes: 1_000,
  maxBodyBytes: 1_000,
  maxBatchFiles: 3,
  maxBatchBytes: 10_000,
  maxFormFields: 16,
  maxFieldBytes: 1_000,
  requestTimeoutMs: 60_000,
  lenientFields: false,
};

/**
 * Serves the application on a free port, with what the test gives in place of its parts; ended with the test.
 * @param waitedMs how long before its turn each request arrived
 */
export async function serveApp(
  t: TestContext,
  { core: given, ...options }: Partial<Omit<AppOptions, 'core'> & { core: Partial<AppOptions['core']> }>,
  waitedMs = 0,
): Promise<number> {
  const stream = () => assert.fail('no stream');
  const core = { call: () => Promise.resolve({}), stream, ...given };
  const app = createApp({ limits, ...options, core });
  const handle = limitPipelining((request, response) => {
    Object.assign(noteArrival(request), { at: performance.now() - waitedMs });
    app(request, response);
  });
  const server = createServer(expressMessages(app), handle);
  return listen(t, server);
}
