import { status, type ServiceError } from '@grpc/grpc-js';
import { readTrailingRefusal } from '../../runtime/read-refusal.js';
import { deadlinePassed, internalFault, Refusal, refuse } from '../../runtime/refusal.js';

/** A core that is restarted is found again within about this time. */
const reconnectSeconds = 1;

/**
 * Makes a refusal of a failed call. The core's own refusals carry an ErrorInfo and are passed on, with
 * message, reason, details and RetryInfo. Without one the error is grpc-js's or a proxy's: its text
 * stays here, its code tells what happened.
 */
export function fromGrpcError(error: ServiceError): Refusal {
  // Not cancelled by us, for then the signal's reason is answered: a killed core resets its streams.
  if (error.code === status.CANCELLED) return coreUnavailable(error);
  return toRefusal(error) ?? fromTransport(error);
}

function fromTransport(error: ServiceError): Refusal {
  const options = { cause: error };
  switch (error.code) {
    case status.UNAVAILABLE:
      return coreUnavailable(error);
    case status.INTERNAL:
      // What grpc-js says of all calls of a connection that broke off.
      return error.details.startsWith('Received RST_STREAM')
        ? coreUnavailable(error)
        : internalFault(error);
    case status.DEADLINE_EXCEEDED:
      return deadlinePassed(error);
    case status.RESOURCE_EXHAUSTED:
      // The limit of a message, where the core's is below the facade's; else some proxy's of its own.
      return /larger than/.test(error.details)
        ? refuse('BODY_TOO_LARGE', 'file is too large for the service, want a smaller one', options)
        : refuse('QUEUE_FULL', 'the service has all the work it can take, try again', {
            ...options,
            retryAfterSeconds: reconnectSeconds,
          });
    default:
      return internalFault(error);
  }
}

/** The core cannot be reached. */
export function coreUnavailable(cause: unknown): Refusal {
  return refuse('CORE_UNAVAILABLE', 'the service is not ready to answer, try again', {
    retryAfterSeconds: reconnectSeconds,
    cause,
  });
}

/** The core's own refusal; a wait is told in whole seconds. */
function toRefusal(error: ServiceError): Refusal | undefined {
  const sent = readTrailingRefusal(error);
  if (sent === undefined) return undefined;
  const { reason, message, details, retryAfterSeconds: seconds } = sent;
  return new Refusal(error.code, reason, message || error.details, {
    details,
    retryAfterSeconds: seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds)),
    cause: error,
  });
}
