import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { type Refusal, refuse, shuttingDown } from '../../../runtime/errors/refusal.js';
import { createFairBudget } from '../../../runtime/limits/fair-budget.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { isKeyless } from '../service-paths.js';
import { toStatusObject } from '../status.js';

/** Maximum number of open health and reflection calls; one address may have four fifths. */
export const maxKeylessCalls = 1_000;

/**
 * Limits health and reflection calls. Only a limited number may be open, since anyone can open them and some
 * never end by themselves: health watches and reflection streams. These are ended when `closing` is aborted;
 * otherwise a closing server would wait for them until its grace period is over.
 */
export function guardKeylessCalls(closing: AbortSignal): ServerInterceptor {
  const places = createFairBudget(maxKeylessCalls);
  return ({ path, responseStream }, call) => {
    if (!isKeyless(path)) return new ServerInterceptingCall(call);
    const own = places.of(callerAddress(call.getPeer()));
    const end = () => call.sendStatus(toStatusObject(shuttingDown()));
    return new ServerInterceptingCall(call, {
      start(next) {
        const hasPlace = own.take(1);
        if (responseStream) closing.addEventListener('abort', end);
        next({
          // Called however the call ends.
          onCancel() {
            closing.removeEventListener('abort', end);
            if (hasPlace) own.give(1);
          },
        });
        if (!hasPlace) call.sendStatus(toStatusObject(noPlace()));
        else if (responseStream && closing.aborted) end();
      },
    });
  };
}

function noPlace(): Refusal {
  return refuse(
    'QUEUE_FULL',
    `too many health and reflection calls are open, want at most ${maxKeylessCalls}, try again in 1 s`,
    { details: { limit: String(maxKeylessCalls) }, retryAfterSeconds: 1 },
  );
}
