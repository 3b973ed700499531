import { status } from '@grpc/grpc-js';
import { internalMessage, type Refusal } from '../../runtime/errors/refusal.js';
import type { HttpAnswer } from './send.js';

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

/** A response with a JSON body. */
type ErrorAnswer = HttpAnswer & { readonly body: string };

/** If even rendering the error fails. */
const lastResort: ErrorAnswer = {
  status: 500,
  headers: {},
  body: `{"message":"${internalMessage}","code":"INTERNAL","reason":"INTERNAL","request_id":"","details":{}}`,
};

/** The error body as documented, with `Retry-After` and `Allow` where they are known. Never throws. */
export function renderError(refusal: Refusal, requestId: string): ErrorAnswer {
  try {
    const headers: Record<string, string> = {};
    if (refusal.retryAfterSeconds !== undefined) headers['retry-after'] = String(refusal.retryAfterSeconds);
    if (refusal.reason === 'METHOD_NOT_ALLOWED') headers['allow'] = refusal.details['allow'] ?? '';
    return {
      status: toHttpStatus(refusal.code, refusal.reason),
      headers,
      body: JSON.stringify({
        message: refusal.message,
        code: status[refusal.code] ?? 'UNKNOWN',
        reason: refusal.reason,
        request_id: requestId,
        details: refusal.details,
      }),
    };
  } catch {
    return lastResort;
  }
}
