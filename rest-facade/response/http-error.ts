import { status } from '@grpc/grpc-js';
import type { Refusal } from '../../runtime/errors/refusal.js';

/** The HTTP status for a gRPC code, unless the reason calls for a more specific one. */
export function toHttpStatus(code: status, reason: string): number {
  switch (reason) {
    // gRPC has no codes for something too large or of the wrong type.
    case 'BODY_TOO_LARGE':
    case 'IMAGE_TOO_MANY_PIXELS':
      return 413;
    case 'UNSUPPORTED_IMAGE_TYPE':
    case 'UNSUPPORTED_CONTENT_TYPE':
      return 415;
    // A valid request for a picture that contains nothing: the path exists, so not 404.
    case 'NO_FACE':
    case 'NO_READING':
      return 422;
    case 'METHOD_NOT_ALLOWED':
      return 405;
  }
  switch (code) {
    case status.INVALID_ARGUMENT:
    case status.FAILED_PRECONDITION:
    case status.OUT_OF_RANGE:
      return 400;
    case status.UNAUTHENTICATED:
      return 401;
    case status.PERMISSION_DENIED:
      return 403;
    case status.NOT_FOUND:
      return 404;
    case status.ALREADY_EXISTS:
    case status.ABORTED:
      return 409;
    case status.RESOURCE_EXHAUSTED:
      return 429;
    // Nobody is there to read it; nginx's number, for the log.
    case status.CANCELLED:
      return 499;
    case status.UNIMPLEMENTED:
      return 501;
    case status.UNAVAILABLE:
      return 503;
    case status.DEADLINE_EXCEEDED:
      return 504;
    // UNKNOWN, INTERNAL, DATA_LOSS, and what this version of gRPC does not know.
    default:
      return 500;
  }
}

/** The error body as documented, with `Retry-After` and `Allow` where they are known. */
export function renderError({ code, reason, message, details, retryAfterSeconds }: Refusal, requestId: string) {
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  if (reason === 'METHOD_NOT_ALLOWED') headers['allow'] = details['allow'] ?? '';
  const body = { message, code: status[code] ?? 'UNKNOWN', reason, request_id: requestId, details };
  return { status: toHttpStatus(code, reason), headers, body: JSON.stringify(body) };
}
