import { refuse, refuseField } from '../../runtime/errors/refusal.js';

/** Flags and length. */
const headBytes = 5;

const compressed = 1;

/** A message, or what ends a response, as Connect's streams and gRPC-Web have it. */
export function putInEnvelope(flags: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/**
 * The one message of a request.
 * @returns a view of the body
 * @throws Refusal INVALID_FIELD, UNSUPPORTED_CONTENT_TYPE
 */
export function takeFromEnvelope(body: Buffer): Buffer {
  const isWhole = body.length >= headBytes && body.readUInt32BE(1) === body.length - headBytes;
  if (!isWhole)
    throw refuseField('INVALID_FIELD', 'body', 'is not one message in its envelope, want five bytes before it');
  const flags = body.readUInt8();
  if (flags === compressed) throw refuse('UNSUPPORTED_CONTENT_TYPE', 'body is compressed, want it as it is');
  if (flags !== 0) throw refuseField('INVALID_FIELD', 'body', `has the flags ${flags}, want 0`, String(flags));
  return body.subarray(headBytes);
}
