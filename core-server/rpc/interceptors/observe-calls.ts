import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { Span, Tracing } from '../../../runtime/observe/tracing.js';
import { stateOf } from '../call-state.js';
import { followDeadline } from '../follow-deadline.js';
import { isOurs } from '../service-paths.js';
import { reasonOf } from '../status.js';

/** A call to our services that ended, possibly refused. */
export interface EndedCall {
  readonly method: string;
  readonly code: string;
  /** `OK` if it succeeded. */
  readonly reason: string;
  readonly seconds: number;
}

/**
 * Counts and traces the calls to our own services up to their final status. It comes before all other
 * interceptors, so that calls without a valid key are seen too.
 */
export function observeCalls(deps: {
  readonly metrics: { callEnded(call: EndedCall): void };
  readonly tracing: Tracing;
}): ServerInterceptor {
  const { metrics, tracing } = deps;
  return ({ path }, call) => {
    if (!isOurs(path)) return new ServerInterceptingCall(call);
    const method = path.slice(1);
    const startedAt = performance.now();
    const deadline = followDeadline(call.getDeadline());
    let span: Span | undefined;
    let isOver = false;
    const end = (code: status, reason: string) => {
      if (isOver) return;
      isOver = true;
      metrics.callEnded({ method, code: status[code], reason, seconds: (performance.now() - startedAt) / 1000 });
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
            const [parent] = metadata.get('traceparent');
            span = tracing.start(method, parent?.toString(), 'server');
            stateOf(metadata).trace = span.traceparent;
            pass(metadata);
          },
          onCancel() {
            // At the deadline grpc-js answers by itself, below the interceptors.
            if (deadline.isOver()) end(status.DEADLINE_EXCEEDED, 'DEADLINE');
            else end(status.CANCELLED, 'CLIENT_CLOSED');
          },
        }),
      sendStatus(sent, next) {
        const code = sent.code ?? status.UNKNOWN;
        end(code, code === status.OK ? 'OK' : (reasonOf(sent) ?? status[code]));
        next(sent);
      },
    });
  };
}
