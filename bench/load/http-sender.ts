import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Outcome, Sender, Target } from './messages.js';

const busyCodes = [429, 503];

/** HTTP/1.1 on connections that are kept, with bodies made beforehand. */
export function createHttpSender(target: Extract<Target, { kind: 'http' }>): Sender {
  const bodies = target.bodies.map((file) => readFileSync(file));
  const agent = new Agent({ keepAlive: true });
  const url = new URL(target.url);

  return {
    send: (turn) =>
      new Promise<Outcome>((resolve) => {
        const body = bodies[turn % bodies.length];
        const method = body === undefined ? 'GET' : 'POST';
        const headers = { ...target.headers, ...(body && { 'content-length': body.length }) };
        const outgoing = request(url, { method, agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => void chunks.push(chunk));
          response.on('error', (error) => resolve({ kind: 'failed', why: error.message }));
          response.on('end', () => {
            const text = Buffer.concat(chunks);
            const status = response.statusCode ?? 0;
            if (status === 200) resolve({ kind: 'answered', body: text });
            else if (busyCodes.includes(status)) {
              const isTold = 'retry-after' in response.headers;
              resolve({
                kind: 'refused',
                how: `${status} ${isTold ? 'with' : 'without'} Retry-After`,
              });
            } else
              resolve({ kind: 'failed', why: `HTTP ${status}: ${text.toString('utf8', 0, 200)}` });
          });
        });
        outgoing.on('error', (error) => resolve({ kind: 'failed', why: error.message }));
        outgoing.end(body);
      }),
  };
}
