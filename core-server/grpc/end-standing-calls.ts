import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { shuttingDown } from '../refusals.js';
import { toStatusObject } from './status.js';

/**
 * Ends calls that have no end of their own, health watches and reflection streams, when `closing` is
 * aborted: a server that closes would wait for them until its grace is over.
 */
export function endStandingCalls(closing: AbortSignal): ServerInterceptor {
  return ({ path, responseStream }, call) => {
    if (!responseStream || !path.startsWith('/grpc.')) return new ServerInterceptingCall(call);
    const end = () => call.sendStatus(toStatusObject(shuttingDown()));
    return new ServerInterceptingCall(call, {
      start(next) {
        closing.addEventListener('abort', end);
        // Comes however the call ends.
        next({ onCancel: () => closing.removeEventListener('abort', end) });
        if (closing.aborted) end();
      },
    });
  };
}
