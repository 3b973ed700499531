import { type ServiceError, status as codes } from '@grpc/grpc-js';
import type { Status } from '../../generated/google/rpc/status.js';
import { readRefusal, readTrailingRefusal, type SentRefusal } from '../../runtime/errors/read-refusal.js';
import { type Reason, RefusedError } from './refused-error.js';

/**
 * Reads the refusal from the error of a gRPC call.
 *
 * @param isBegun whether the service had said that a worker has the picture; added to the details as in the REST API
 */
export function fromGrpcError(error: ServiceError, isBegun = false): RefusedError {
  const { code, details: message } = error;
  const begun = isBegun && code === codes.UNAVAILABLE ? { begun: 'true' } : {};
  return toRefusedError({ code, message }, readTrailingRefusal(error), error, begun);
}

/** Reads the refusal from an error response of a stream. */
export function fromStatus(status: Status, cause?: unknown): RefusedError {
  return toRefusedError(status, readRefusal(status), cause);
}

/** @param status used if the service sent no refusal */
function toRefusedError(
  status: { readonly code: number; readonly message: string },
  sent: SentRefusal | undefined,
  cause: unknown,
  begun: { readonly begun?: string } = {},
): RefusedError {
  const refusal = {
    reason: (sent?.reason || undefined) as Reason | undefined,
    code: codes[status.code] ?? 'UNKNOWN',
    details: { ...sent?.details, ...begun },
    retryAfterSeconds: sent?.retryAfterSeconds,
  };
  return new RefusedError(sent?.message || status.message, refusal, { cause });
}
