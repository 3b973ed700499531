import { createServer, request } from 'node:http';
import type { TestContext } from 'node:test';
import { listen } from './listen.js';

/**
 * A reverse proxy that serves below `/vision` what a service serves at its root, and nothing else.
 * @returns its address, without a slash at its end
 */
export async function startPrefixProxy(t: Pick<TestContext, 'after'>, service: string): Promise<string> {
  const prefix = '/vision';
  const server = createServer((asked, answer) => {
    const { url = '', method, headers } = asked;
    if (!url.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const forwarded = request(service + url.slice(prefix.length), { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 500, given.headers);
      given.pipe(answer);
    });
    asked.pipe(forwarded);
  });
  return `http://127.0.0.1:${await listen(t, server)}${prefix}`;
}
