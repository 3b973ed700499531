import { status } from '@grpc/grpc-js';
import type { Refusal } from '../../runtime/errors/refusal.js';

const httpOfReason: ReadonlyMap<string, number> = new Map([
  // gRPC has no codes for something too large or of the wrong type.
  ['BODY_TOO_LARGE', 413],
  ['IMAGE_TOO_MANY_PIXELS', 413],
  ['UNSUPPORTED_IMAGE_TYPE', 415],
  ['UNSUPPORTED_CONTENT_TYPE', 415],
  // A valid request for a picture that contains nothing: the path exists, so not 404.
  ['NO_FACE', 422],
  ['NO_READING', 422],
  ['METHOD_NOT_ALLOWED', 405],
]);

const httpOfCode: ReadonlyMap<status, number> = new Map([
  [status.INVALID_ARGUMENT, 400],
  [status.FAILED_PRECONDITION, 400],
  [status.OUT_OF_RANGE, 400],
  [status.UNAUTHENTICATED, 401],
  [status.PERMISSION_DENIED, 403],
  [status.NOT_FOUND, 404],
  [status.ALREADY_EXISTS, 409],
  [status.ABORTED, 409],
  [status.RESOURCE_EXHAUSTED, 429],
  // Nobody is there to read it; nginx's number, for the log.
  [status.CANCELLED, 499],
  [status.UNIMPLEMENTED, 501],
  [status.UNAVAILABLE, 503],
  [status.DEADLINE_EXCEEDED, 504],
]);

/** The HTTP status for a gRPC code, unless the reason calls for a more specific one. */
export function toHttpStatus(code: status, reason: string): number {
  // UNKNOWN, INTERNAL, DATA_LOSS, and what this version of gRPC does not know.
  return httpOfReason.get(reason) ?? httpOfCode.get(code) ?? 500;
}

/** `Retry-After` and `Allow` where they are known. */
export function errorHeaders({ reason, details, retryAfterSeconds }: Refusal): Record<string, string> {
  return {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(reason === 'METHOD_NOT_ALLOWED' && { allow: details['allow'] ?? '' }),
  };
}

export function renderError(refusal: Refusal, requestId: string) {
  const { code, reason } = refusal;
  return {
    status: toHttpStatus(code, reason),
    headers: errorHeaders(refusal),
    body: errorBody(refusal, requestId, refusal.details),
  };
}

/** The same of one line of a response, whose headers are of all: its details have what they would say. */
export function renderErrorLine(refusal: Refusal, requestId: string): string {
  const { retryAfterSeconds, details } = refusal;
  const retry = retryAfterSeconds !== undefined && { retry_after: String(retryAfterSeconds) };
  return errorBody(refusal, requestId, { ...details, ...retry });
}

const errorBody = ({ code, reason, message }: Refusal, requestId: string, details: Refusal['details']): string =>
  JSON.stringify({ message, code: status[code] ?? 'UNKNOWN', reason, request_id: requestId, details });
