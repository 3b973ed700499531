import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { ServiceError } from '../errors.js';
import { toStatusObject } from './status.js';

/**
 * Ends calls whose one request does not arrive in time: handlers, and with them deadlines, begin only
 * when it is there. Streams have their own limit of idleness.
 */
export function createReceiveLimit(limitMs: number): ServerInterceptor {
  return ({ requestStream }, grpcCall) => {
    if (requestStream) return new ServerInterceptingCall(grpcCall);
    const timer = setTimeout(() => {
      const error = new ServiceError(
        'DEADLINE',
        `the request did not arrive in time, want it within ${limitMs} ms`,
        { details: { limit: String(limitMs) } },
      );
      grpcCall.sendStatus(toStatusObject(error));
    }, limitMs);
    return new ServerInterceptingCall(grpcCall, {
      start: (next) =>
        next({
          onReceiveHalfClose(pass) {
            clearTimeout(timer);
            pass();
          },
          onCancel: () => clearTimeout(timer),
        }),
    });
  };
}
