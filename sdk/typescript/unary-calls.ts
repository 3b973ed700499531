import type { ClientUnaryCall, Metadata, ServiceError } from '@grpc/grpc-js';
import { fromGrpcError } from './grpc-refusal.js';
import { retried, type RetryOptions, toError } from './retry.js';
import { type CallOptions, type TimeLimit, withinTime } from './time-limit.js';

/** Defaults for all calls. */
interface CallDefaults {
  /** Sent with every call: the key. */
  readonly metadata: Metadata;
  /** Milliseconds for a call including all its attempts. */
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
}

/** A method of a generated client, bound to it. */
type UnaryMethod<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: { deadline: number },
  done: (error: ServiceError | null, response: Response) => void,
) => ClientUnaryCall;

/** Creates unary calls; they reject with a RefusedError, or with `signal.reason` once aborted. */
type UnaryCalls = <Request, Response>(
  method: UnaryMethod<Request, Response>,
  request: Request,
  options?: CallOptions,
) => Promise<Response>;

export function createUnaryCalls({ metadata, timeoutMs, retry }: CallDefaults): UnaryCalls {
  return (method, request, options = {}) =>
    withinTime(options, timeoutMs, (limit) =>
      retried(() => callOnce(method, request, metadata, limit), retry, limit.signal),
    );
}

function callOnce<Request, Response>(
  method: UnaryMethod<Request, Response>,
  request: Request,
  metadata: Metadata,
  { signal, deadline }: TimeLimit,
): Promise<Response> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let isBegun = false;
    const call = method(request, metadata, { deadline }, (error, response) => {
      signal.removeEventListener('abort', cancel);
      if (!error) resolve(response);
      else reject(signal.aborted ? toError(signal.reason) : fromGrpcError(error, isBegun));
    });
    // The service sends its metadata when a worker has the picture, or with the response.
    call.on('metadata', () => (isBegun = true));
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
  });
}
