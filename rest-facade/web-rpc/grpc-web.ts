import { Status } from '../../generated/google/rpc/status.js';
import { type Refusal, refuse, refuseField } from '../../runtime/errors/refusal.js';
import { toRpcStatus } from '../../runtime/errors/rpc-status.js';
import { parseGrpcTimeout } from '../../runtime/net/grpc-timeout.js';
import type { LateText } from '../response/late-base64.js';
import type { WebProtocol } from './web-protocol.js';

/** https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md, without its base64 form. */

/** An envelope has flags and length before its bytes. */
const headBytes = 5;
const compressed = 1;
const trailers = 0x80;
const succeeded = putInEnvelope(trailers, Buffer.from('grpc-status: 0\r\n'));

/** A message, then what gRPC has as trailers, since pages cannot read those. */
export const grpcWeb: WebProtocol = {
  contentType: 'application/grpc-web+',
  timeoutHeader: 'grpc-timeout',
  parseTimeout: parseGrpcTimeout,
  readMessage: takeFromEnvelope,
  writeMessage: (message) => putInEnvelope(0, message, succeeded),
  refuse: (refusal) => ({ status: 200, headers: {}, body: putInEnvelope(trailers, Buffer.from(describe(refusal))) }),
};

function describe(refusal: Refusal): string {
  const rpcStatus = toRpcStatus(refusal);
  const details = Buffer.from(Status.encode(rpcStatus).finish()).toString('base64').replaceAll('=', '');
  // By way of bytes: an unpaired surrogate has no percent-encoding. Only what gRPC wants encoded: protobuf-ts shows it undecoded.
  const message = Buffer.from(refusal.message)
    .toString()
    .replace(/[^ -$&-~]+/gu, encodeURIComponent);
  return `grpc-status: ${refusal.code}\r\ngrpc-message: ${message}\r\ngrpc-status-details-bin: ${details}\r\n`;
}

/** A message, or what ends a response; and what comes behind it. */
function putInEnvelope(flags: number, bytes: Buffer | LateText, ...behind: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, ...(Buffer.isBuffer(bytes) ? [bytes] : bytes), ...behind]);
}

/** The one message of a request, a view of the body. @throws Refusal INVALID_FIELD, UNSUPPORTED_CONTENT_TYPE */
function takeFromEnvelope(body: Buffer): Buffer {
  const isWhole = body.length >= headBytes && body.readUInt32BE(1) === body.length - headBytes;
  if (!isWhole)
    throw refuseField('INVALID_FIELD', 'body', 'is not one message in its envelope, want five bytes before it');
  const flags = body.readUInt8();
  if (flags === compressed) throw refuse('UNSUPPORTED_CONTENT_TYPE', 'body is compressed, want it as it is');
  if (flags !== 0) throw refuseField('INVALID_FIELD', 'body', `has the flags ${flags}, want 0`, { value: flags });
  return body.subarray(headBytes);
}
