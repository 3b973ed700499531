import { readFileSync } from 'node:fs';
import { connect, type ClientHttp2Session } from 'node:http2';
import type { Outcome, Sender, Target } from './messages.js';

const connectionWindow = 64 * 2 ** 20;
const streamWindow = 16 * 2 ** 20;
/** RESOURCE_EXHAUSTED, UNAVAILABLE */
const busyCodes = ['8', '14'];

/**
 * Unary gRPC straight on HTTP/2 with frames made beforehand: on a machine of few cores a client that
 * serialises each message would be measured along with the service.
 */
export function createGrpcSender(target: Extract<Target, { kind: 'grpc' }>): Sender {
  const frames = target.messages.map((file) => frame(readFileSync(file)));
  const headers = {
    ':method': 'POST',
    ':path': target.path,
    'content-type': 'application/grpc',
    te: 'trailers',
    apikey: target.apiKey,
  };
  let session: ClientHttp2Session | undefined;
  const open = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session;
    const opened = connect(`http://${target.address}`, {
      settings: { initialWindowSize: streamWindow },
    });
    opened.on('connect', () => opened.setLocalWindowSize(connectionWindow));
    opened.on('error', () => opened.destroy());
    return (session = opened);
  };

  return {
    send: (turn) =>
      new Promise<Outcome>((resolve) => {
        const stream = open().request(headers, { endStream: false });
        const chunks: Buffer[] = [];
        let status: string | undefined;
        const readStatus = (from: Record<string, unknown>): void => {
          const given = from['grpc-status'];
          if (typeof given === 'string') status = given;
        };
        stream.on('response', readStatus);
        stream.on('trailers', readStatus);
        stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
        stream.on('error', (error: Error) => resolve({ kind: 'failed', why: error.message }));
        stream.on('close', () => {
          if (status === '0')
            resolve({ kind: 'answered', body: Buffer.concat(chunks).subarray(5) });
          else if (busyCodes.includes(status ?? '')) resolve({ kind: 'refused' });
          else resolve({ kind: 'failed', why: `gRPC status ${status ?? stream.rstCode}` });
        });
        stream.end(frames[turn % frames.length] ?? frame(Buffer.alloc(0)));
      }),
  };
}

function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
