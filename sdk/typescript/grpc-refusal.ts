import { status as codes, type ServiceError } from '@grpc/grpc-js';
import type { Status } from '../../generated/google/rpc/status.js';
import { readRefusal, readTrailingRefusal, type SentRefusal } from '../../runtime/read-refusal.js';
import { RefusedError, type Reason } from './refused-error.js';

/**
 * Reads the refusal out of what a gRPC call failed with.
 *
 * @param isBegun whether the service had said that a worker has the picture; noted in the details as the
 * REST API does
 */
export function fromGrpcError(error: ServiceError, isBegun = false): RefusedError {
  const { code, details: message } = error;
  const begun = isBegun && code === codes.UNAVAILABLE ? { begun: 'true' } : {};
  return toRefusedError({ code, message }, readTrailingRefusal(error), error, begun);
}

/** Reads the refusal out of an error answer of a stream. */
export function fromStatus(status: Status, cause?: unknown): RefusedError {
  return toRefusedError(status, readRefusal(status), cause);
}

/** @param status of a failure that is not of the service, what there is */
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
