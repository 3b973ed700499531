import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { refuse } from '../../runtime/refusal.js';
import { toStatusObject } from './status.js';
import { oversizedHeaders } from './header-size.js';
import { malformedTimeout } from './timeout-header.js';

/**
 * Refuses headers that are too large and deadlines that are malformed, and ends calls whose one request does not
 * arrive in time: handlers, and with them deadlines, begin only when it is there. Streams have their own limit of
 * idleness.
 */
export function createReceiveLimit(limitMs: number): ServerInterceptor {
  return ({ requestStream }, grpcCall) => {
    const expire = () => {
      const error = refuse(
        'DEADLINE',
        `the request did not arrive in time, want it within ${limitMs} ms`,
        { details: { limit: String(limitMs) } },
      );
      grpcCall.sendStatus(toStatusObject(error));
    };
    const timer = requestStream ? undefined : setTimeout(expire, limitMs);
    return new ServerInterceptingCall(grpcCall, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const refusal = oversizedHeaders(metadata) ?? malformedTimeout(metadata);
            if (refusal === undefined) return pass(metadata);
            clearTimeout(timer);
            grpcCall.sendStatus(toStatusObject(refusal));
          },
          onReceiveHalfClose(pass) {
            clearTimeout(timer);
            pass();
          },
          onCancel: () => clearTimeout(timer),
        }),
    });
  };
}
