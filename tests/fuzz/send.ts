import { connect } from 'node:net';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { detailsOf, metadataWithKey } from '../helpers/net/grpc.js';
import { parseAnswer, type RawAnswer } from '../rest-facade/raw-http.js';
import type { GrpcCase } from './grpc-cases.js';
import type { HttpCase } from './http-cases.js';
import { judgeGrpc, judgeHttp } from './judge.js';

/** Beyond every time-out of the service: what takes longer hangs. */
const hangMs = 150_000;
/** The sender of an unfinished request goes away after this. */
const giveUpMs = 40;

/** What came of an input: a word for the tally, and what is wrong with it, if anything. */
export interface Outcome {
  readonly tally: string;
  readonly problem?: string | undefined;
}

/** Sends the bytes over a connection of their own and judges what comes back. */
export function sendHttp(port: number, { bytes, owesAnswer }: HttpCase): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      resolve({ tally: 'hang', problem: `no end within ${hangMs} ms` });
      socket.destroy();
    }, hangMs);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A refusal may close while the rest is still being sent: what was read before counts.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      const text = Buffer.concat(chunks).toString();
      // "100 Continue" comes before the answer.
      const answer = firstAnswer(text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ''));
      if (text === '' || Number.isNaN(answer.status))
        return resolve(owesAnswer ? { tally: 'none', problem: 'no answer' } : { tally: 'none' });
      const method = bytes.subarray(0, bytes.indexOf(' ')).toString('latin1');
      const problem = judgeHttp(answer, method);
      // An upload that lies about its length runs into the request's own deadline.
      const isOwnDeadline = !owesAnswer && answer.status === 504;
      const reason = /"reason":"(\w+)"/.exec(answer.body)?.[1] ?? '';
      const tally = `HTTP ${answer.status} ${reason}`;
      resolve({ tally, problem: isOwnDeadline ? undefined : problem });
    });
    // To end the connection is to take the request back; only what promises more than it sends does.
    socket.write(bytes);
    if (!owesAnswer) setTimeout(() => socket.end(), giveUpMs);
  });
}

/** What follows the first answer answers bytes that were taken for a further request. */
function firstAnswer(text: string): RawAnswer {
  const answer = parseAnswer(text);
  const length = Number(answer.headers['content-length'] ?? Infinity);
  return { ...answer, body: Buffer.from(answer.body).subarray(0, length).toString() };
}

/** Makes calls with messages that are bytes already. */
export function createGrpcSender(address: string, apiKey: string) {
  const client = new Client(address, credentials.createInsecure());
  const metadata = metadataWithKey(apiKey);
  const same = (bytes: Buffer): Buffer => bytes;

  const send = ({ path, message }: GrpcCase): Promise<Outcome> =>
    new Promise((resolve) => {
      const options = { deadline: Date.now() + hangMs };
      const done = (error: ServiceError | null): void => {
        if (error === null) return resolve({ tally: 'gRPC OK' });
        const sent = error.metadata.get('grpc-status-details-bin').length > 0;
        const reason = sent ? detailsOf(error).reason : '';
        const problem = judgeGrpc(error.code, reason, error.details);
        resolve({ tally: `gRPC ${reason || error.code}`, problem });
      };
      client.makeUnaryRequest(path, same, same, message, metadata, options, done);
    });
  return { send, close: () => client.close() };
}
