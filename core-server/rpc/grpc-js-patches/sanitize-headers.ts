import type { IncomingHttpHeaders } from 'node:http2';
import type { Metadata } from '@grpc/grpc-js';
import { invalidField, type Refusal, refuse } from '../../../runtime/errors/refusal.js';

/**
 * Fixes headers of a call that grpc-js would mishandle, before it reads them.
 *
 * - Gains: a call of a hundred bytes cannot have half a megabyte kept or repeated; no mistyped key reaches stderr; a
 *   mistake of the caller is not answered with INTERNAL, which is alerted on.
 * - Costs: it knows by name what grpc-js does with five headers; a test sends each.
 * - Delete, header by header, when grpc-js limits, validates and refuses them itself.
 */
export function sanitizeHeaders(headers: IncomingHttpHeaders): void {
  dropOversized(headers);
  cutPath(headers);
  refuseCompression(headers);
  rewriteTimeout(headers);
  dropIllegal(headers);
}

const maxPathLength = 128;

/**
 * grpc-js repeats the path of a method that it does not have in its answer. HPACK (RFC 7541) can resend tens of
 * kilobytes with one byte, which no budget counts.
 */
function cutPath(headers: IncomingHttpHeaders): void {
  if ((headers[':path']?.length ?? 0) > maxPathLength) headers[':path'] = '/';
}

/** Uses a name that grpc-js does not know, so that it answers UNIMPLEMENTED, as the protocol requires. */
function refuseCompression(headers: IncomingHttpHeaders): void {
  const encoding = headers['grpc-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  headers['grpc-encoding'] = String(encoding).toUpperCase();
}

/** grpc-js drops them too, but writes them to stderr, and one may be a mistyped API key. */
function dropIllegal(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    const isText = !name.endsWith('-bin');
    if (!legalName.test(name) || (isText && !legalText.test(String(headers[name])))) delete headers[name];
  }
}

const legalName = /^[:0-9a-z_.-]+$/;
const legalText = /^[ -~]*$/;

// A call can refer to a header sent earlier on its connection with one byte (RFC 7541), so that a hundred bytes
// become half a megabyte, which grpc-js keeps as long as the call. SETTINGS_MAX_HEADER_LIST_SIZE binds only peers
// that acknowledge it.

/** Names and values of all headers of a call; the default of grpc-go and grpc-java. */
export const maxMetadataBytes = 8 * 2 ** 10;

const oversizedMetadata = 'x-internal-oversized-headers';
/** What grpc-js needs to find the method. */
const kept: readonly string[] = [':method', ':path', 'content-type'];

/** Drops headers that are too large in total, except those needed for the refusal. */
function dropOversized(headers: IncomingHttpHeaders): void {
  delete headers[oversizedMetadata];
  const bytes = sizeOf(headers);
  if (bytes <= maxMetadataBytes) return;
  for (const name in headers) if (!kept.includes(name)) delete headers[name];
  headers[oversizedMetadata] = String(bytes);
}

/** The refusal for a call whose headers were too large; undefined for others. */
export function oversizedHeaders(metadata: Metadata): Refusal | undefined {
  const [bytes] = metadata.get(oversizedMetadata);
  if (bytes === undefined) return undefined;
  const value = bytes.toString();
  return refuse('INVALID_FIELD', `metadata has ${value} bytes, want at most ${maxMetadataBytes}`, {
    details: { field: 'metadata', value, limit: String(maxMetadataBytes) },
  });
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

// grpc-js answers a malformed deadline with INTERNAL, which is meant for our own errors, and treats one of
// more than 24.8 days, the maximum of a Node.js timer, as passed. Both are corrected in the headers before it
// reads them.

const malformedMetadata = 'x-internal-malformed-timeout';
const secondsOfUnit = { H: 3600, M: 60, S: 1, m: 1e-3, u: 1e-6, n: 1e-9 } as const;
const maxSeconds = 2_147_483;

/** Rewrites a deadline so that grpc-js interprets it as the caller meant it. */
function rewriteTimeout(headers: IncomingHttpHeaders): void {
  delete headers[malformedMetadata];
  const sent = headers['grpc-timeout'];
  if (sent === undefined) return;
  const [, count, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(sent)) ?? [];
  if (unit === undefined) {
    delete headers['grpc-timeout'];
    // Metadata is printable; no more than a message shows.
    headers[malformedMetadata] = String(sent).replaceAll(/[^ -~]/g, '?');
  } else if (Number(count) * secondsOfUnit[unit as keyof typeof secondsOfUnit] > maxSeconds)
    headers['grpc-timeout'] = `${maxSeconds}S`;
}

/** The refusal for a call whose deadline was malformed; undefined for others. */
export function malformedTimeout(metadata: Metadata): Refusal | undefined {
  const [sent] = metadata.get(malformedMetadata);
  if (sent === undefined) return undefined;
  return invalidField('grpc-timeout', sent.toString(), '1 to 8 digits and a unit of HMSmun');
}
