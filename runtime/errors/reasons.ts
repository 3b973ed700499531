// Not the whole library: the inference workers use this table too, and would each load it.
import { Status as status } from '@grpc/grpc-js/build/src/constants.js';
import type { ErrorReason } from '../../generated/imageanalysis/v1/errors.js';

/** Domain of every `ErrorInfo` that this service sends. */
export const errorDomain = 'imageanalysis';

/** Name of a stable error reason, as it travels in `ErrorInfo.reason`. */
export type Reason = Exclude<keyof typeof ErrorReason, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

/**
 * The one table of errors: the gRPC code that each reason comes with.
 * A test compares it with the options of the proto enum and with the documentation.
 */
export const codeOfReason = {
  MISSING_FIELD: status.INVALID_ARGUMENT,
  REPEATED_FIELD: status.INVALID_ARGUMENT,
  INVALID_FIELD: status.INVALID_ARGUMENT,
  UNKNOWN_FIELD: status.INVALID_ARGUMENT,
  MALFORMED_MULTIPART: status.INVALID_ARGUMENT,
  MALFORMED_JSON: status.INVALID_ARGUMENT,
  INVALID_DATA_URL: status.INVALID_ARGUMENT,
  INVALID_BASE64: status.INVALID_ARGUMENT,
  INVALID_SCORE: status.INVALID_ARGUMENT,
  EMPTY_IMAGE: status.INVALID_ARGUMENT,
  CORRUPT_IMAGE: status.INVALID_ARGUMENT,
  MISSING_API_KEY: status.UNAUTHENTICATED,
  INVALID_API_KEY: status.UNAUTHENTICATED,
  COMPANY_AUTH_FAILED: status.UNAUTHENTICATED,
  KEY_NOT_ALLOWED: status.PERMISSION_DENIED,
  NO_SUCH_ROUTE: status.NOT_FOUND,
  UNKNOWN_COMPANY: status.NOT_FOUND,
  NO_FACE: status.NOT_FOUND,
  NO_READING: status.NOT_FOUND,
  UNKNOWN_API_KEY: status.NOT_FOUND,
  COMPANY_EXISTS: status.ALREADY_EXISTS,
  METHOD_NOT_ALLOWED: status.UNIMPLEMENTED,
  UNSUPPORTED_IMAGE_TYPE: status.INVALID_ARGUMENT,
  UNSUPPORTED_CONTENT_TYPE: status.INVALID_ARGUMENT,
  BODY_TOO_LARGE: status.RESOURCE_EXHAUSTED,
  IMAGE_TOO_MANY_PIXELS: status.RESOURCE_EXHAUSTED,
  RATE_LIMITED: status.RESOURCE_EXHAUSTED,
  QUEUE_FULL: status.RESOURCE_EXHAUSTED,
  CLIENT_CLOSED: status.CANCELLED,
  DEADLINE: status.DEADLINE_EXCEEDED,
  INTERNAL: status.INTERNAL,
  CORE_UNAVAILABLE: status.UNAVAILABLE,
  SHUTTING_DOWN: status.UNAVAILABLE,
  STORE_UNAVAILABLE: status.UNAVAILABLE,
  WORKER_LOST: status.UNAVAILABLE,
} as const satisfies Record<Reason, status>;
