import type { IncomingHttpHeaders } from 'node:http';
import { Status } from '../../generated/google/rpc/status.js';
import { invalidField, type Refusal } from '../../runtime/errors/refusal.js';
import { toRpcStatus } from '../../runtime/errors/rpc-status.js';
import { putInEnvelope, takeFromEnvelope } from './envelope.js';
import type { WebProtocol } from './web-protocol.js';

/** https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md, without its base64 form. */

const timeoutHeader = 'grpc-timeout';
const trailers = 0x80;
const succeeded = putInEnvelope(trailers, Buffer.from('grpc-status: 0\r\n'));

/** A message, then what gRPC has as trailers, since pages cannot read those. */
export const grpcWeb: WebProtocol = {
  contentType: 'application/grpc-web+',
  readTimeout,
  readMessage: takeFromEnvelope,
  writeMessage: (message) => Buffer.concat([putInEnvelope(0, message), succeeded]),
  refuse: (refusal) => ({ status: 200, headers: {}, body: putInEnvelope(trailers, Buffer.from(describe(refusal))) }),
};

const msPerUnit: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

function readTimeout(headers: IncomingHttpHeaders): number | undefined {
  const given = headers[timeoutHeader] as string | undefined;
  if (given === undefined) return undefined;
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(given) ?? [];
  if (amount === undefined) throw invalidField(timeoutHeader, given, 'at most 8 digits and one of H M S m u n');
  return Number(amount) * (msPerUnit[unit] as number);
}

function describe(refusal: Refusal): string {
  const rpcStatus = toRpcStatus(refusal);
  const details = Buffer.from(Status.encode(rpcStatus).finish()).toString('base64').replaceAll('=', '');
  // By way of bytes: an unpaired surrogate has no percent-encoding.
  const message = encodeURIComponent(Buffer.from(refusal.message).toString());
  return `grpc-status: ${refusal.code}\r\ngrpc-message: ${message}\r\ngrpc-status-details-bin: ${details}\r\n`;
}
