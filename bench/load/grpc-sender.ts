import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { grpcFrame } from '../../tests/helpers/net/grpc-frame.js';
import type { Outcome, Sender, Target } from './messages.js';

const connectionWindow = 64 * 2 ** 20;
const streamWindow = 16 * 2 ** 20;
const busyCodes: Readonly<Record<string, string>> = { 8: 'RESOURCE_EXHAUSTED', 14: 'UNAVAILABLE' };

/**
 * Unary gRPC straight on HTTP/2 with frames made beforehand: on a machine of few cores a client that
 * serialises each message would be measured along with the service.
 */
export function createGrpcSender(target: Extract<Target, { kind: 'grpc' }>): Sender {
  const frames = target.messages.map((file) => grpcFrame(readFileSync(file)));
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
      // By default streams are ended where 10 MB wait to be sent: three photos.
      maxSessionMemory: 1_000,
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
        let status = '';
        let details = '';
        let broken = '';
        const readStatus = (from: Record<string, unknown>): void => {
          const { 'grpc-status': code, 'grpc-status-details-bin': more } = from;
          if (typeof code === 'string') status = code;
          if (typeof more === 'string') details = more;
        };
        stream.on('response', readStatus);
        stream.on('trailers', readStatus);
        stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
        stream.on('error', (error: Error) => void (broken = error.message));
        stream.on('close', () => {
          const busy = busyCodes[status];
          if (status === '0') resolve({ kind: 'answered', body: Buffer.concat(chunks).subarray(5) });
          else if (busy === undefined)
            resolve({ kind: 'failed', why: broken || `gRPC status ${status || stream.rstCode}` });
          else {
            const isTold = Buffer.from(details, 'base64').includes('google.rpc.RetryInfo');
            resolve({ kind: 'refused', how: `${busy} ${isTold ? 'with' : 'without'} RetryInfo` });
          }
        });
        stream.end(frames[turn % frames.length] ?? grpcFrame(Buffer.alloc(0)));
      }),
  };
}
