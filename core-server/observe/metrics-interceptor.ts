import { ServerInterceptingCall, status, type ServerInterceptor } from '@grpc/grpc-js';
import { readReason } from '../status.js';
import type { Metrics } from './metrics.js';

/**
 * Counts the calls of our own services with the status that they end with. It stands before all other
 * interceptors, so that calls without a good key are counted too.
 */
export function createMetricsInterceptor(
  metrics: Pick<Metrics, 'callEnded'>,
  now: () => number,
): ServerInterceptor {
  return ({ path }, call) => {
    if (!path.startsWith('/imageanalysis.')) return new ServerInterceptingCall(call);
    const startedAt = now();
    let isCounted = false;
    const end = (code: status, reason: string) => {
      if (isCounted) return;
      isCounted = true;
      const seconds = (now() - startedAt) / 1000;
      metrics.callEnded({ method: path.slice(1), code: status[code], reason, seconds });
    };
    return new ServerInterceptingCall(call, {
      start: (next) => next({ onCancel: () => end(status.CANCELLED, 'CLIENT_CLOSED') }),
      sendStatus(sent, next) {
        const code = sent.code ?? status.UNKNOWN;
        end(code, code === status.OK ? 'OK' : (readReason(sent) ?? status[code]));
        next(sent);
      },
    });
  };
}
