import { readFileSync } from 'node:fs';
import { type HttpAnswer, type HttpConnection, openHttpConnection } from './http-connection.js';
import type { Outcome, Sender, Target } from './messages.js';

const busyCodes = [429, 503];
/** As Node.js's own agent: after a stall, thousands would take all places that a service has for one address. */
const maxIdle = 256;

/** HTTP/1.1 on connections that are kept, with requests made beforehand. */
export function createHttpSender(target: Extract<Target, { kind: 'http' }>): Sender {
  const url = new URL(target.url);
  const requests = target.bodies.map((file) => toRequest(url, target.headers, readFileSync(file)));
  const free: HttpConnection[] = [];

  const exchange = async (request: Buffer): Promise<HttpAnswer> => {
    let connection = free.pop();
    while (connection?.isOpen === false) connection = free.pop();
    connection ??= openHttpConnection(url);
    const answer = await connection.send(request);
    if (free.length < maxIdle) free.push(connection);
    else connection.close();
    return answer;
  };
  return {
    async send(turn) {
      const request = requests[turn % requests.length];
      if (request === undefined) throw new Error(`no bodies for ${target.url}`);
      try {
        return toOutcome(await exchange(request));
      } catch (error) {
        return { kind: 'failed', why: (error as Error).message };
      }
    },
  };
}

function toRequest(url: URL, headers: Readonly<Record<string, string>>, body: Buffer): Buffer {
  const fields = { host: url.host, ...headers, 'content-length': body.length };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function toOutcome({ status, hasRetryAfter, body }: HttpAnswer): Outcome {
  if (status === 200) return { kind: 'answered', body };
  if (busyCodes.includes(status)) {
    return { kind: 'refused', how: `${status} ${hasRetryAfter ? 'with' : 'without'} Retry-After` };
  }
  return { kind: 'failed', why: `HTTP ${status}: ${body.toString('utf8', 0, 200)}` };
}
