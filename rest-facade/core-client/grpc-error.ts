import { type ServiceError, status } from '@grpc/grpc-js';
import { readRefusal, readTrailingRefusal, type SentRefusal } from '../../runtime/errors/read-refusal.js';
import { deadlinePassed, internalFault, Refusal, refuse } from '../../runtime/errors/refusal.js';

/** A restarted core is found again within about this time. */
const retryAfterSeconds = 1;

/**
 * Turns a failed call into a refusal. The core's own refusals carry an ErrorInfo and are passed on with
 * message, reason, details and RetryInfo, rounded up to whole seconds. Without one, the error comes from grpc-js or a proxy: its text
 * is not passed on, and its code says what happened.
 */
export function fromGrpcError(error: ServiceError): Refusal {
  // We did not cancel it, or the signal's reason would be the answer: a killed core resets its streams.
  if (error.code === status.CANCELLED) return coreUnavailable(error);
  const sent = readTrailingRefusal(error);
  return sent === undefined ? fromTransport(error) : toRefusal(error.code, sent, error);
}

/** A `google.rpc.Status` as proto-loader gives it. */
export interface LoadedStatus {
  readonly code: number;
  readonly message: string;
  readonly details: readonly { readonly type_url: string; readonly value: Buffer }[];
}

export function fromLoadedStatus(refused: LoadedStatus): Refusal {
  const details = refused.details.map(({ type_url: typeUrl, value }) => ({ typeUrl, value }));
  const sent = readRefusal({ ...refused, details });
  return sent === undefined ? internalFault(refused) : toRefusal(refused.code, sent, refused);
}

function toRefusal(
  code: status,
  { reason, message, details, retryAfterSeconds: seconds }: SentRefusal,
  cause: unknown,
): Refusal {
  return new Refusal(code, reason, message, {
    details,
    retryAfterSeconds: seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds)),
    cause,
  });
}

function fromTransport(cause: ServiceError): Refusal {
  switch (cause.code) {
    case status.UNAVAILABLE:
      return coreUnavailable(cause);
    case status.INTERNAL:
      // What grpc-js says for all calls of a lost connection.
      return cause.details.startsWith('Received RST_STREAM') ? coreUnavailable(cause) : internalFault(cause);
    case status.DEADLINE_EXCEEDED:
      return deadlinePassed(cause);
    case status.RESOURCE_EXHAUSTED:
      // A message limit: the core's own has a reason, so that of a proxy, or ours. Otherwise some proxy's other limit.
      if (/larger than/.test(cause.details))
        return refuse('BODY_TOO_LARGE', 'file is too large for the service, want a smaller one', { cause });
      return refuse('QUEUE_FULL', 'the service has all the work it can take, try again', { retryAfterSeconds, cause });
    default:
      return internalFault(cause);
  }
}

export function coreUnavailable(cause: unknown): Refusal {
  return refuse('CORE_UNAVAILABLE', 'the service is not ready to answer, try again', { retryAfterSeconds, cause });
}
