import type { ServerHttp2Stream } from 'node:http2';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { shuttingDown, tooManyOpen } from '../../../runtime/errors/refusal.js';
import { createFairBudget, createHold } from '../../../runtime/limits/fair-budget.js';
import { callerOf } from '../grpc-js-patches/caller-of.js';
import { refuseStream, streamOf } from '../grpc-js-patches/refuse-stream.js';
import { isKeyless } from '../service-paths.js';
import { toStatusObject } from '../status.js';

/** Maximum number of open health watches and reflection calls; one address may have four fifths. */
export const maxKeylessCalls = 1_000;

/**
 * The same for all others. An open stream takes 30 KB before its first message, and a connection may have hundreds: of
 * ten thousand connections they would take 70 GB.
 */
export const maxCalls = 10_000;

/**
 * Limits the calls that are open at a time. Those of health and reflection have places of their own, since anyone can
 * open them and some never end by themselves: health watches and reflection streams. These are ended when `closing` is
 * aborted; otherwise a closing server would wait for them until its grace period is over, when `ending` ends all others.
 */
export function limitOpenCalls(closing: AbortSignal, ending: AbortSignal): ServerInterceptor {
  const keyless = { what: 'health and reflection calls', places: createFairBudget(maxKeylessCalls) };
  const others = { what: 'calls', places: createFairBudget(maxCalls) };
  const limitChecks = createCheckLimit();
  return (method, call) => {
    const { path, responseStream } = method;
    const isKeylessCall = isKeyless(path);
    if (isKeylessCall && !responseStream) return limitChecks(method, call);
    const { what, places } = isKeylessCall ? keyless : others;
    const hold = createHold(places.of(callerOf(streamOf(call).session)));
    const over = isKeylessCall ? closing : ending;
    const end = () =>
      isKeylessCall ? call.sendStatus(toStatusObject(shuttingDown())) : refuseStream(streamOf(call), shuttingDown());
    return new ServerInterceptingCall(call, {
      start(next) {
        const hasPlace = hold(1);
        over.addEventListener('abort', end);
        next({
          // Called however the call ends.
          onCancel() {
            over.removeEventListener('abort', end);
            hold(0);
          },
        });
        if (!hasPlace) call.sendStatus(toStatusObject(tooManyOpen(what)));
        else if (isKeylessCall && closing.aborted) end();
      },
    });
  };
}

/**
 * A health check is answered at once. With too many, the oldest ends, whose request does not come, and the new one is not
 * refused: a supervisor restarts a core whose check is refused, and of shares by address, six addresses can have all.
 */
function createCheckLimit(): ServerInterceptor {
  const open = new Set<ServerHttp2Stream>();
  return (_, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        const stream = streamOf(call);
        next({ onCancel: () => open.delete(stream) });
        const [oldest] = open.add(stream);
        if (open.size <= maxKeylessCalls || !oldest) return;
        open.delete(oldest);
        refuseStream(oldest, tooManyOpen('health checks'));
      },
    });
}
