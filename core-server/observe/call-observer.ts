import { ServerInterceptingCall, status, type ServerInterceptor } from '@grpc/grpc-js';
import { reasonOf } from '../grpc/status.js';
import type { Metrics } from './metrics.js';
import type { Span, Tracing } from '../../runtime/tracing.js';

/** Metadata that carries the trace of a call: the caller's before this interceptor, the call's own after. */
export const traceMetadata = 'traceparent';

/**
 * Counts and traces the calls of our own services until the status that they end with. It stands before
 * all other interceptors, so that calls without a good key are seen too.
 */
export function createCallObserver(deps: {
  readonly metrics: Pick<Metrics, 'callEnded'>;
  readonly tracing: Tracing;
  readonly now: () => number;
}): ServerInterceptor {
  const { metrics, tracing, now } = deps;
  return ({ path }, call) => {
    if (!path.startsWith('/imageanalysis.')) return new ServerInterceptingCall(call);
    const method = path.slice(1);
    const startedAt = now();
    let span: Span | undefined;
    let isOver = false;
    const end = (code: status, reason: string) => {
      if (isOver) return;
      isOver = true;
      metrics.callEnded({
        method,
        code: status[code],
        reason,
        seconds: (now() - startedAt) / 1000,
      });
      span?.end({
        failed: reason === 'INTERNAL',
        attributes: {
          'rpc.system': 'grpc',
          'rpc.method': method,
          'rpc.grpc.status_code': code,
          'imageanalysis.reason': reason,
        },
      });
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const [parent] = metadata.get(traceMetadata);
            span = tracing.start(method, parent?.toString(), 'server');
            metadata.remove(traceMetadata);
            if (span.traceparent !== undefined) metadata.set(traceMetadata, span.traceparent);
            pass(metadata);
          },
          onCancel: () => end(status.CANCELLED, 'CLIENT_CLOSED'),
        }),
      sendStatus(sent, next) {
        const code = sent.code ?? status.UNKNOWN;
        end(code, code === status.OK ? 'OK' : (reasonOf(sent) ?? status[code]));
        next(sent);
      },
    });
  };
}
