import type { IncomingHttpHeaders } from 'node:http2';
import { asRefusal, type Refusal, refuseField } from '../../../runtime/errors/refusal.js';
import { parseGrpcTimeout } from '../../../runtime/net/grpc-timeout.js';

/**
 * Fixes headers of a call that grpc-js would mishandle, before it reads them, and drops those that nobody reads.
 *
 * - Gains: a call of a hundred bytes cannot have half a megabyte kept or repeated; no mistyped key reaches stderr; a
 *   mistake of the caller is not answered with INTERNAL, which is alerted on. 110 headers took 26 KB of an open call.
 * - Costs: it knows by name which headers are read, and what grpc-js does with five of them; a test sends each.
 * - Delete, header by header, when grpc-js limits, validates and refuses them itself.
 *
 * @returns the refusal that the call is to get, if they are too large or its deadline is malformed
 */
export function sanitizeHeaders(headers: IncomingHttpHeaders): Refusal | undefined {
  const mistake = dropOversized(headers) ?? dropTimeout(headers);
  cutPath(headers);
  refuseCompression(headers);
  dropUseless(headers);
  return mistake;
}

const maxPathLength = 128;

/**
 * grpc-js repeats the path of a method that it does not have in its answer. HPACK (RFC 7541) can resend tens of
 * kilobytes with one byte, which no budget counts.
 */
function cutPath(headers: IncomingHttpHeaders): void {
  if ((headers[':path']?.length ?? 0) > maxPathLength) headers[':path'] = '/';
}

/**
 * Uses a name that grpc-js does not know, so that it answers UNIMPLEMENTED, as the protocol requires: it would inflate each
 * message a thousandfold. Pictures are compressed anyway.
 */
function refuseCompression(headers: IncomingHttpHeaders): void {
  const encoding = headers['grpc-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  headers['grpc-encoding'] = String(encoding).toUpperCase();
}

/** What grpc-js and we read. */
const known: ReadonlySet<string> = new Set([
  ...[':authority', ':method', ':path', 'content-type', 'grpc-encoding', 'grpc-timeout', 'host'],
  ...['adminkey', 'apikey', 'traceparent', 'x-forwarded-for', 'x-request-id'],
]);

/** Illegal ones grpc-js drops too, but writes them to stderr, and one may be a mistyped API key. */
function dropUseless(headers: IncomingHttpHeaders): void {
  for (const name in headers) if (!known.has(name) || !legalText.test(String(headers[name]))) delete headers[name];
}

const legalText = /^[ -~]*$/;

// A call can refer to a header sent earlier on its connection with one byte (RFC 7541), so that a hundred bytes
// become half a megabyte, which grpc-js keeps as long as the call. SETTINGS_MAX_HEADER_LIST_SIZE binds only peers
// that acknowledge it.

/** Names and values of all headers of a call; the default of grpc-go and grpc-java. */
export const maxMetadataBytes = 8 * 2 ** 10;

/** What grpc-js needs to find the method. */
const kept: readonly string[] = [':method', ':path', 'content-type'];

/** Drops headers that are too large in total, except those needed for the refusal. */
function dropOversized(headers: IncomingHttpHeaders): Refusal | undefined {
  const bytes = sizeOf(headers);
  if (bytes <= maxMetadataBytes) return undefined;
  for (const name in headers) if (!kept.includes(name)) delete headers[name];
  const clause = `has ${bytes} bytes, want at most ${maxMetadataBytes}`;
  return refuseField('INVALID_FIELD', 'metadata', clause, { value: bytes, limit: maxMetadataBytes });
}

function sizeOf(headers: IncomingHttpHeaders): number {
  let bytes = 0;
  for (const name in headers) {
    const value = headers[name] ?? '';
    const values = typeof value === 'string' ? [value] : value;
    bytes += values.reduce((sum, { length }) => sum + length, name.length * values.length);
  }
  return bytes;
}

/** The maximum of a Node.js timer, 24.8 days. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Drops a deadline that grpc-js would answer with INTERNAL, as it is malformed, or take for passed, as it is so far away. */
function dropTimeout(headers: IncomingHttpHeaders): Refusal | undefined {
  const sent = headers['grpc-timeout'];
  if (sent === undefined) return undefined;
  delete headers['grpc-timeout'];
  try {
    if (parseGrpcTimeout(String(sent)) <= maxTimeoutMs) headers['grpc-timeout'] = sent;
    return undefined;
  } catch (malformed) {
    return asRefusal(malformed);
  }
}
