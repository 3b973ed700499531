import { createServer, type RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import { listen } from './listen.js';

/**
 * A server in place of a collector of traces, until the test ends.
 *
 * @returns the address that traces are sent to
 */
export async function startCollector(t: TestContext, listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(t, createServer(listener))}/v1/traces`;
}
